"""Reports in a real headless Chromium. reports.sh starts the server and names it: reports.py URL S1 S2 S3 STAFF GRADER FOLDER
AXE, of which the last is the script of axe-core or empty."""
import os
import sys

from driver import Browser, check, failures
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

URL, S1, S2, S3, STAFF, GRADER, FOLDER = sys.argv[1:8]
AXE = open(sys.argv[8], encoding="utf-8").read() if sys.argv[8] else ""
CODE = os.path.join(FOLDER, "hand-in/cpu-new-forward.cc")


def report_of(student):
    return os.path.join(FOLDER, f"apart{student}/report.md")


def hand_in_together(browser, assignment, student):
    """The code and the report in one form."""
    browser.go("/assignments/" + assignment)
    browser.find("#upload input[type=file]").send_keys(CODE + "\n" + report_of(student))
    browser.click("Hand in")
    browser.wait_for_page("/submissions/")
    browser.wait_for_text("PASSED")


def hand_in_apart(browser, assignment, student):
    browser.go("/assignments/" + assignment)
    browser.find("#upload input[type=file]").send_keys(CODE)
    browser.click("Hand in")
    browser.wait_for_text("report.md is missing")
    browser.find("#report input[type=file]").send_keys(report_of(student))
    browser.click("Hand in the report")
    browser.wait_for_page("/submissions/")
    browser.wait_for_text("The marks are not released yet.")
    browser.go("/assignments/" + assignment)
    browser.find("#upload input[type=file]").send_keys(CODE)
    browser.click("Hand in")
    browser.wait_for_page("/submissions/")
    browser.wait_for_text("PASSED")


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


students = {}
for number, token in ((1, S1), (2, S2), (3, S3)):
    students[number] = Browser(URL, AXE)
    students[number].log_in(token)
    students[number].wait_for_text("Milestone 1")
    hand_in_together(students[number], "m1", number)
    hand_in_apart(students[number], "m2", number)
students[1].go("/assignments/m1")
students[1].look_at_all("assignment-with-a-report")

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
gina.press(Keys.ENTER)
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
