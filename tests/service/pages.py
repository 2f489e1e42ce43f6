"""Each kind of page with the content of a whole class, at three widths: pages.py URL STUDENT NEW_STUDENT STAFF AXE SCREENSHOTS
PICTURES. The rules and axe-core look at each one. AXE, its script, may be empty, and so may SCREENSHOTS, the folder for all
pages at all widths. PICTURES is the folder for those of docs/service."""
import os
import sys

import driver
from driver import check, failures

URL, STUDENT, NEW_STUDENT, STAFF, AXE_FILE, SCREENSHOTS, PICTURES = sys.argv[1:8]
AXE = open(AXE_FILE, encoding="utf-8").read() if AXE_FILE else ""
WIDTHS = (390, 1280, 1920)


class Browser(driver.Browser):
    def __init__(self, token=""):
        super().__init__(URL, AXE)
        if token:
            self.log_in(token)
            self.wait("no login", lambda: not self.driver.find_elements("css selector", "input[name=token]"))

    def go_until_whole(self, path):
        """A page that loads itself again would do so while the rules look at it."""
        self.go(path)
        self.wait(f"{path} is not whole", lambda: "loads itself again" not in self.text())

    def look_at(self, name, path):
        """The page at each width."""
        self.go_until_whole(path)
        check(self.find("h1").text, f"{name} has no heading")
        for width in WIDTHS:
            self.look(name, width)
            if SCREENSHOTS:
                self.photograph(os.path.join(SCREENSHOTS, f"{name}-{width}.png"), width, 4000)

    def picture(self, name, path, width, tallest):
        self.go_until_whole(path)
        self.photograph(os.path.join(PICTURES, name + ".png"), width, tallest)

    def fill(self, css, text):
        field = self.find(css)
        field.clear()
        field.send_keys(text)


# The numbers of the samples, by the order in which pages.sh handed them in.
SAMPLES = "lab1-right lab1-begun lab1-empty lab6-right lab6-begun lab6-empty right broken wrong racy practice racy-of-grace".split()


def make_content(staff, student, of):
    """What people write: announcements, comments, an extension, points by hand, a rejudge."""
    staff.go("/staff/announcements")
    staff.fill("textarea", "Office hours move to room 2034 this week.\nThe cluster is down on Friday from 18:00.")
    staff.click("Announce")
    staff.wait_for_text("End it")
    staff.go(f"/submissions/{of['racy']}/source#new-forward.cu:20")
    staff.fill("#at-line textarea", "Two threads use the tile here: which barrier keeps them apart?")
    staff.click("Comment at the line")
    staff.wait_for_text("which barrier keeps them apart")
    student.go(f"/submissions/{of['racy']}")
    student.fill("textarea:not([readonly])", "The GPU of my laptop gives the right result. Is the finding wrong?")
    student.find("form[action$=messages] button").click()
    student.wait_for_text("Sent")
    staff.go("/staff/extensions")
    staff.fill("textarea", "alan, barbara\nedsger")
    staff.fill("input[name=until]", "2 d")
    staff.fill("input[name=reason]", "the cluster was down")
    staff.click("Extend the deadline")
    # The form is a new one.
    staff.wait("the extension was not taken", lambda: staff.find("input[name=reason]").get_attribute("value") == "")
    staff.go("/staff/rejudges")
    staff.find("input[name=student]").send_keys("ada")
    staff.find("input[name=reason]").send_keys("a driver was updated")
    staff.click("Grade again")
    staff.wait_for_text("Rejudge 1")


def copies_a_command(student, path):
    """Each command of a report has a button, which puts the command into the clipboard."""
    student.driver.execute_cdp_cmd("Browser.grantPermissions",
                                   {"origin": URL, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    student.go(path)
    commands = [one.text for one in student.driver.find_elements("css selector", "code.command")]
    names = [one.get_attribute("aria-label") for one in student.driver.find_elements("css selector", "button.copy")]
    check(commands and names == ["Copy: " + one for one in commands], f"{commands} have the buttons {names}")
    student.find("button.copy").click()
    student.wait_for_text("Copied")
    copied = student.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    check(copied == commands[0], f"'{copied}' was copied, not '{commands[0]}'")


def pages_of_students(student, new, of):
    for name, path in (("home", "/"), ("assignment", "/assignments/m1"), ("assignment-lab", "/assignments/lab6"),
                       ("assignment-team", "/assignments/m2"), ("assignment-not-open", "/assignments/lab8"),
                       ("assignment-over", "/assignments/lab1"),
                       ("passed", f"/submissions/{of['right']}"), ("broken", f"/submissions/{of['broken']}"),
                       ("wrong", f"/submissions/{of['wrong']}"), ("racy", f"/submissions/{of['racy']}"),
                       ("practice-run", f"/submissions/{of['practice']}"),
                       ("source", f"/submissions/{of['racy']}/source"),
                       ("difference", f"/submissions/{of['racy']}/source?with={of['right']}"),
                       ("difference-template", f"/submissions/{of['lab6-begun']}/source?with=template"),
                       ("not-found", "/nowhere"), ("not-allowed", "/staff")):
        student.look_at("student-" + name, path)
    # The report as one file allows no scripts, so axe-core needs its policy lifted.
    student.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    student.look_at("student-report", f"/submissions/{of['racy']}/report")
    student.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    copies_a_command(student, f"/submissions/{of['broken']}")
    new.look_at("new-home", "/")
    new.look_at("new-assignment", "/assignments/lab6")


def head_and_names_stay(staff):
    """The table of the class scrolls in its own frame: titles and names stay, the grades move under them."""
    staff.go("/staff")
    staff.resize(800, 800)

    def place_of(css):
        return staff.driver.execute_script(
            "const r = document.querySelector(arguments[0]).getBoundingClientRect(); return [r.left, r.top];", css)

    corner, title, name, grade = (".gradebook tr > :first-child", ".gradebook thead tr > :nth-child(5)",
                                  ".gradebook tbody tr:nth-child(20) > :first-child",
                                  ".gradebook tbody tr:nth-child(20) > :nth-child(5)")
    staff.driver.execute_script("document.querySelector('.gradebook').scrollIntoView()")
    before = {css: place_of(css) for css in (corner, title, name, grade)}
    right, down = staff.driver.execute_script(
        "const f = document.querySelector('.gradebook'); f.scrollTo(100, 400); return [f.scrollLeft, f.scrollTop];")
    check(right == 100 and down == 400, f"the table scrolls by {right} and {down} px")
    for css, moved_right, moved_down in ((corner, 0, 0), (title, right, 0), (name, 0, down), (grade, right, down)):
        left, top = place_of(css)
        wanted = [before[css][0] - moved_right, before[css][1] - moved_down]
        check(abs(left - wanted[0]) < 1 and abs(top - wanted[1]) < 1, f"{css} is at {left}, {top}, not at {wanted}")
    # What moves goes under what stays.
    seen = staff.driver.execute_script("""
        const frame = document.querySelector(".gradebook").getBoundingClientRect();
        return [[4, 4], [4, 300], [frame.width - 60, 4]]
          .map(([x, y]) => document.elementFromPoint(frame.left + x, frame.top + y))
          .map((e) => [Boolean(e.closest("thead")), e.closest("th, td").cellIndex]);""")
    check(seen[0] == [True, 0] and seen[1] == [False, 0] and seen[2][0], f"above are {seen}")
    # The table has the width of the window, also if a search finds nobody; on a phone it is a list.
    for path in ("/staff", "/staff?search=nobody"):
        staff.go(path)
        staff.resize(1920, 800)
        width = staff.driver.execute_script("return document.querySelector('main').clientWidth")
        check(width > 1800, f"{path} uses {width} px of 1920")
    staff.go("/staff")
    staff.resize(390, 800)
    name, grade = ".gradebook tbody tr > :first-child", ".gradebook tbody tr > :nth-child(2)"
    label = staff.driver.execute_script("return getComputedStyle(document.querySelector(arguments[0]), '::before').content", grade)
    check(place_of(grade)[1] > place_of(name)[1] and "lab1" in label, f"on a phone a row is no list: {label}")
    staff.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def pages_of_staff(staff, of):
    staff.go(f"/submissions/{of['racy']}")
    check("The same files" in staff.text(), "the pair is not on the page of the first one")
    for name, path in (("class", "/staff"), ("class-found", "/staff?search=grace&sort=-m1"), ("class-none", "/staff?search=nobody"),
                       ("assignment", "/staff/assignments/m1"), ("assignment-lab", "/staff/assignments/lab6"),
                       ("assignment-future", "/staff/assignments/m3"),
                       ("submissions", "/staff/submissions"), ("submissions-of", "/staff/submissions?assignment=m1&counts=on"),
                       ("submission", f"/submissions/{of['racy']}"),
                       ("same-files", f"/submissions/{of['racy-of-grace']}"),
                       ("same-files-compared", f"/submissions/{of['racy-of-grace']}/source?with={of['racy']}"), ("source", f"/submissions/{of['racy']}/source"),
                       ("student", "/staff/students/ada"), ("student-nothing", "/staff/students/nora"),
                       ("student-assignment", "/staff/students/ada/m1"),
                       ("extensions", "/staff/extensions"), ("rejudges", "/staff/rejudges"), ("rejudge", "/staff/rejudges/1"),
                       ("announcements", "/staff/announcements"), ("roster", "/staff/roster"), ("tokens", "/staff/tokens"),
                       ("audit", "/staff/audit"), ("practice", "/staff/practice"), ("ranking", "/assignments/m1"),
                       ("export", "/staff/gradebook/canvas"), ("not-found", "/submissions/99999")):
        staff.look_at("staff-" + name, path)


def pictures_of_the_documents(student, staff, of):
    for browser, name, path, width, tallest in (
            (student, "assignment", "/assignments/lab6", 1000, 1100), (student, "passed", f"/submissions/{of['right']}", 1000, 900),
            (student, "assignment-phone", "/assignments/lab6", 390, 1100),
            (student, "broken", f"/submissions/{of['broken']}", 390, 1100),
            (student, "source", f"/submissions/{of['racy']}/source#new-forward.cu:20", 1000, 900),
            (staff, "class", "/staff", 1280, 1300), (staff, "assignment-for-staff", "/staff/assignments/m1", 1000, 1700)):
        browser.picture(name, path, width, tallest)


def main():
    stranger = Browser()
    stranger.look_at("login", "/")
    student, new, staff = Browser(STUDENT), Browser(NEW_STUDENT), Browser(STAFF)
    of = {name: number for number, name in enumerate(SAMPLES, 1)}
    make_content(staff, student, of)
    pages_of_students(student, new, of)
    pages_of_staff(staff, of)
    head_and_names_stay(staff)
    pictures_of_the_documents(student, staff, of)
    for browser in (stranger, student, new, staff):
        browser.driver.quit()


main()
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
