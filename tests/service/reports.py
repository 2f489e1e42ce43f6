"""Reports in a real headless Chromium. reports.sh starts the server and names it: reports.py URL S1 S2 S3 STAFF GRADER FOLDER
AXE, of which the last is the script of axe-core or empty."""
import os
import struct
import subprocess
import sys
import zlib

from driver import Browser, check, failures
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

URL, S1, S2, S3, STAFF, GRADER, FOLDER = sys.argv[1:8]
AXE = open(sys.argv[8], encoding="utf-8").read() if sys.argv[8] else ""
CODE = os.path.join(FOLDER, "hand-in/cpu-new-forward.cc")


def report_of(student):
    return os.path.join(FOLDER, f"apart{student}/report.md")


def picture_of(student):
    return os.path.join(FOLDER, f"apart{student}/plots/times.png")


def draw(file):
    """A red picture of 32 by 16 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\xff\0\0" * 32) * 16)
    with open(file, "wb") as picture:
        picture.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 16, 8, 2, 0, 0, 0))
                      + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def hand_in(browser, assignment, *files):
    browser.go("/assignments/" + assignment)
    browser.find("#upload input[type=file]").send_keys("\n".join(files))
    browser.click("Hand in")
    browser.wait_for_page("/submissions/")


def hand_in_together(browser, assignment, student):
    """The code, the report and its picture in one form."""
    hand_in(browser, assignment, CODE, report_of(student), picture_of(student))
    browser.wait_for_text("PASSED")


def hand_in_apart(browser, assignment, student):
    browser.go("/assignments/" + assignment)
    browser.find("#upload input[type=file]").send_keys(CODE)
    browser.click("Hand in")
    browser.wait_for_text("report.md is missing")
    browser.find("#report input[type=file]").send_keys(report_of(student) + "\n" + picture_of(student))
    browser.click("Hand in the report")
    browser.wait_for_page("/submissions/")
    browser.wait_for_text("The marks are not released yet.")
    hand_in(browser, assignment, CODE)
    browser.wait_for_text("PASSED")


def hand_in_by_command(assignment, student, token):
    """The report alone, without a browser."""
    done = subprocess.run(["opgrade", "submit", os.path.dirname(report_of(student)), "--report", "-a", assignment, "--server", URL],
                          env={**os.environ, "OPGRADE_TOKEN": token}, capture_output=True, text=True, check=False)
    check(done.returncode == 0 and f"is the report of {assignment}: handed in" in done.stdout and "in time" in done.stdout,
          f"opgrade submit --report says {done.stdout}{done.stderr}")


def pictures_are_shown(browser, css, count):
    """Each is loaded, from this site or as data in the page."""
    pictures = browser.driver.find_elements(By.CSS_SELECTOR, css)
    check(len(pictures) == count, f"{len(pictures)} pictures {css}, not {count}: {browser.text()[:1500]}")
    for picture in pictures:
        browser.driver.execute_script("arguments[0].loading = 'eager'", picture)
        browser.wait(f"a picture {css} is not loaded", lambda: picture.get_property("naturalWidth") > 0)


def hold(browser, key, repeats):
    """As a keyboard repeats a key that is held, after it was pressed."""
    event = {"key": key, "text": key, "code": "Digit" + key, "windowsVirtualKeyCode": ord(key)}
    for _ in range(repeats):
        browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {**event, "type": "keyDown", "autoRepeat": True})
    browser.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {**event, "type": "keyUp"})


def marks(browser):
    return browser.find("#marks").text


def wait_for_marks(browser, text):
    browser.wait(f"the marks are not {text}", lambda: text in marks(browser))


def title(browser):
    return browser.find("h1").text


def wait_for_title(browser, text):
    browser.wait(f"the title is not {text}", lambda: text in title(browser))


def shown_pages(browser):
    """The document's own text, once it is rendered."""
    browser.wait_for_text("Report of student")
    check("3 ms" in browser.text(), "the table of the report is not shown")
    pictures_are_shown(browser, ".document img", 1)
    check("http://127.0.0.1:9/times.png, not loaded, since it is outside of the hand-in" in browser.text(), "what is not loaded is not said")


students = {}
for number, token in ((1, S1), (2, S2), (3, S3)):
    students[number] = Browser(URL, AXE)
    students[number].log_in(token)
    students[number].wait_for_text("Milestone 1")
    draw(picture_of(number))
    hand_in_together(students[number], "m1", number)
    if number < 3:
        hand_in_apart(students[number], "m2", number)
hand_in_by_command("m2", 3, S3)
hand_in(students[3], "m2", CODE)
students[3].wait_for_text("PASSED")
students[1].go("/assignments/m1")
students[1].look_at_all("assignment-with-a-report")
hand_in(students[1], "m3", os.path.join(FOLDER, "hand-in/grey.cc"))
students[1].wait_for_text("FAILED")
pictures_are_shown(students[1], ".pictures img", 3)

# Two graders at once, by the keyboard alone once the list is open.
sam, gina = Browser(URL, AXE), Browser(URL, AXE)
for browser, token in ((sam, STAFF), (gina, GRADER)):
    browser.log_in(token)
    browser.wait_for_text("taking submissions")
    browser.go("/staff/marking/m1")
    browser.wait_for_text("0 of 3 documents marked.")
sam.look_at_all("reports")
sam.click("Mark the next one")
wait_for_title(sam, "Student 1")
shown_pages(sam)
check("What opgrade measured" in sam.text(), "the measured numbers are not beside the document")
gina.click("Mark the next one")
wait_for_title(gina, "Student 2")  # sam has the first one open
gina.go(sam.driver.current_url.removeprefix(URL))
gina.wait_for_text("sam is at this document, too.")
sam.wait_for_text("gina is at this document, too.")
sam.press("1")
wait_for_marks(sam, "8 of 20")
wait_for_marks(gina, "8 of 20")  # by itself
gina.press("4")
wait_for_marks(gina, "13 of 20")
gina.press("3")
wait_for_marks(sam, "18 of 20")  # one of the group replaces the other
check(sam.find("[data-item=half]").get_attribute("aria-pressed") == "false", "both items of a group that takes one apply")
sam.press("c")
sam.press("A clear text.", Keys.TAB, Keys.ENTER)
gina.wait("gina does not see sam's comment",
          lambda: gina.find("[data-comment='']").get_attribute("value") == "A clear text.")
sam.look_at_all("marking")
gina.press("n")
wait_for_title(gina, "Student 2")
sam.press(Keys.ESCAPE, Keys.ENTER)
wait_for_title(sam, "Student 3")
# Student 2: no units, all of the analysis, five points too many are cut. Student 3: no units and half of it.
gina.press("1")
wait_for_marks(gina, "8 of 20")
gina.press("3")
wait_for_marks(gina, "18 of 20")
hold(gina, "3", 3)  # a repeat that decided would take the tick back
gina.press("2")
wait_for_marks(gina, "10 of 20")
gina.press("2")
wait_for_marks(gina, "18 of 20")
# What is typed and not saved goes with the document.
gina.find(".group summary").click()
gina.find("[data-comment=figures]").send_keys("See chapter 3.")
gina.press(Keys.ESCAPE, "c")
gina.press("Nearly all.", Keys.ESCAPE, Keys.ENTER)
gina.wait_for_page("/staff/marking/m1")
for key, text in (("1", "8 of 20"), ("4", "13 of 20")):
    sam.press(key)
    wait_for_marks(sam, text)
sam.press(Keys.ENTER)
sam.wait_for_text("3 of 3 documents marked.")

# The second milestone: s1 no units and none of the analysis, s2 all figures, s3 without a figure.
sam.go("/staff/marking/m2")
sam.click("Mark the next one")
for name, keys, text in (("Student 1", "1", "8 of 20"), ("Student 2", "", "10 of 20"), ("Student 3", "2", "0 of 20")):
    wait_for_title(sam, name)
    for key in keys:
        sam.press(key)
    wait_for_marks(sam, text)
    sam.press(Keys.ENTER)
sam.wait_for_text("3 of 3 documents marked.")

# Nothing is seen before the release.
students[1].go("/assignments/m1")
students[1].wait_for_text("the marks are not released yet")
check("clear text" not in students[1].text(), "a comment is seen before the release")
sam.go("/staff/marking/m1")
sam.click("Release the marks")
sam.wait_for_text("Students see the marks")
students[1].go("/assignments/m1")
students[1].wait_for_text("counts: 18 of 20")
students[1].driver.find_element(By.CSS_SELECTOR, "#report tbody a").click()
students[1].wait_for_text("A clear text.")
students[1].wait_for_text("-2: The axes have no units.")
students[1].look_at_all("marks")

students[2].go("/assignments/m1")
students[2].find("#report tbody a").click()
for text in ("Nearly all.", "See chapter 3."):
    students[2].wait_for_text(text)

# A regrade of one item, which the student names.
Select(students[1].find("select[name=item]")).select_by_value("units")
students[1].find("#comments textarea").send_keys("Each axis has its unit.")
students[1].click("Ask")
students[1].wait_for_text("Sent: staff see your request.")
gina.go("/staff/marking/m1")
gina.wait_for_text("asks for a regrade")
gina.driver.find_element(By.CSS_SELECTOR, "tbody a").click()
gina.wait_for_text("about units")
gina.press("1")
wait_for_marks(gina, "20 of 20")
gina.find("#comments textarea").send_keys("You are right.")
gina.click("Comment")
gina.wait_for_text("You are right.")
students[1].go("/assignments/m1")
students[1].wait_for_text("counts: 20 of 20")

sam.go("/staff/rubrics/m1")
area = sam.find("textarea.yaml")
area.clear()
area.send_keys("groups: []")
sam.click("Preview")
sam.wait_for_text("opgrade_rubric")
sam.go("/staff/rubrics/m1")
sam.look_at_all("rubric")
sam.go("/staff/marking/m1")
check(sam.answer("GET", "/staff/gradebook/rubric?assignment=m1&read=yes")[0] == 200, "the marks are not exported")
for name, browser in (("sam", sam), ("gina", gina), *((f"s{n}", b) for n, b in students.items())):
    for complaint in browser.complaints():
        check("422" in complaint or "409" in complaint or "400" in complaint, f"{name}: {complaint}")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
