"""The pages in a real headless Chromium: clicks, typing, uploads, live updates, the keyboard alone, a phone, dark mode,
no scripts. browser.sh starts the server and names it: browser.py URL STUDENT STAFF SUBMISSIONS AXE, of which the last
is the script of axe-core or empty."""
import os
import re
import sys
import urllib.parse

import driver
from driver import RULES, check, failures
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

URL, STUDENT, STAFF, SUBMISSIONS = sys.argv[1:5]
AXE = open(sys.argv[5], encoding="utf-8").read() if sys.argv[5] else ""


class Browser(driver.Browser):
    """With what the student of this walk does."""

    def __init__(self, scripts=True):
        super().__init__(URL, AXE, scripts)

    def log_in_again(self):
        self.go("/login")
        self.type_token(STUDENT)
        self.wait_for_text("Milestone 1")

    def choose(self, *files):
        self.find("input[type=file]").send_keys("\n".join(os.path.join(SUBMISSIONS, f) for f in files))

    def hand_in(self, *files):
        self.choose(*files)
        self.click("Hand in")


def rules_find_mistakes(browser):
    """Each rule, on a page that was spoilt on purpose."""
    browser.go("/login")
    browser.driver.execute_script("""
        document.querySelector("main").insertAdjacentHTML("beforeend", `<p id="grey">grey</p>
          <input name="x"><button></button><img><h4>deep</h4><h1>two</h1><i id="a"></i><i id="a"></i>
          <table><tr><th>cell</th></tr></table><figure><svg></svg></figure><div id="wide">wide</div>
          <p hidden id="shown">hidden</p><table><tr><td id="outside">a long name</td><td id="cut">letters</td></tr></table>`);
        document.getElementById("shown").style.setProperty("display", "block", "important");
        for (const id of ["outside", "cut"]) document.getElementById(id).style.cssText = "display: block; width: 2rem; padding: 0";
        document.getElementById("outside").style.whiteSpace = "nowrap";
        document.getElementById("cut").style.overflowWrap = "anywhere";
        document.getElementById("grey").style.color = "#777";
        document.getElementById("grey").style.background = "#888";
        document.getElementById("wide").style.width = "3000px";
        document.documentElement.lang = "";""")
    found = " ".join(browser.driver.execute_script(RULES))
    check(not AXE or "button-name" in " ".join(browser.axe()), "axe-core does not find a button without a name")
    for rule in ("contrast 1.", "no label", "no name", "no alternative text", "level is left out", "not one h1",
                 "stands twice", "without a scope", "without a table", "wider than", "hidden, but shown", "outside of its cell", "cut in two", "no language"):
        check(rule in found, f"the rules do not find '{rule}': {found}")


def student_and_staff():
    student, staff = Browser(), Browser()
    rules_find_mistakes(student)
    # The login by keyboard alone; a wrong token first.
    student.go("/")
    student.look_at_all("login")
    student.tab_to("input[name=token]")
    student.press("wrong", Keys.ENTER)
    student.wait_for_text("unknown or revoked")
    student.tab_to("input[name=token]")
    student.press(STUDENT, Keys.ENTER)
    student.wait_for_text("Milestone 1")
    cookie = student.driver.get_cookie("opgrade_session")
    check(cookie and cookie["httpOnly"] and cookie["sameSite"] == "Lax", f"the session's cookie: {cookie}")
    student.look_at_all("home")

    staff.log_in(STAFF)
    staff.wait_for_text("Student 1 (s1)")
    staff.click("Stop after what runs")
    staff.wait_for_text("stopped by staff")

    # By the mouse: nothing is graded, so the page shows the place. Then staff start the workers, and the open page
    # must grow by itself.
    student.click("m1: Milestone 1")
    student.wait_for_text("Hand in")
    student.hand_in("wrong_constant/cpu-new-forward.cc")
    student.wait_for_text("position 1 of 1")
    student.look_at_all("queued")
    # The page that counts its steps may be gone when it is asked: the verdict loads another one.
    student.driver.execute_script("""
        window.the_same_page = true;
        new MutationObserver(() => sessionStorage.setItem("steps", document.querySelectorAll("#log li").length))
          .observe(document.getElementById("log"), {childList: true});""")
    before = len(student.driver.find_elements(By.CSS_SELECTOR, "#log li"))
    staff.go("/staff")
    check("position 1 of 1" in staff.text(), "staff do not see the queue")
    staff.look_at_all("class-waiting")
    staff.click("Start the workers")
    staff.wait_for_text("taking submissions")

    def grew():
        return student.driver.execute_script(
            "return Number(sessionStorage.getItem('steps')) > arguments[0]", before)
    student.wait("the open page shows no new step", grew)
    check(not any(b.is_displayed() for b in student.driver.find_elements(By.CSS_SELECTOR, "form[action$=cancel] button"))
          or not student.driver.execute_script("return window.the_same_page === true"),
          "a submission that is graded can be taken back")
    student.wait_for_text("FAILED")
    check("wrong output" in student.text(), "the verdict has no reason")
    check(not student.driver.execute_script("return window.the_same_page === true"), "the verdict came by no reload")
    student.look_at_all("verdict")
    # A report allows no scripts, so axe-core needs its policy lifted.
    student.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    student.click("The report as one file")
    student.wait_for_text("FAILED")
    student.look_at_all("report")
    student.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})

    # Now the right one, by the keyboard alone up to the file chooser, which is the system's own.
    student.go("/assignments/m1")
    student.tab_to("input[type=file]")
    student.find("input[type=file]").send_keys(os.path.join(SUBMISSIONS, "good/cpu-new-forward.cc"))
    student.tab_to(".drop button")
    student.press(Keys.ENTER)
    student.wait_for_text("PASSED")
    student.look_at_all("passed")
    student.go("/assignments/m1")
    student.hand_in("good/cpu-new-forward.cc")
    student.wait_for_text("PASSED")

    # The ranking, with a name in place of the alias. A busy machine may leave a time without credit.
    student.go("/assignments/m1")
    name = student.find("input[name=name]")
    name.clear()
    name.send_keys("<b>Speedy</b>", Keys.ENTER)
    student.wait_for_text("Save the name")
    own = student.driver.execute_script(
        "return [getComputedStyle(document.querySelector('svg .marked')).fill, getComputedStyle(document.body).color];")
    check(own[0] == own[1], f"the own point has the colour {own[0]}, as if it were wrong, and not that of texts, {own[1]}")
    plots = [e.get_attribute("textContent") for e in student.driver.find_elements(By.CSS_SELECTOR, "figure svg title")]
    check(any("The class, the fastest first: Op Time, ms from" in title for title in plots),
          f"the class has no plot: {plots}")
    check(len(student.driver.find_elements(By.CSS_SELECTOR, "section:last-of-type figure tbody tr")) >= 12,
          "the plot's table lacks those who left the course")
    if re.search(r"rank \d+ of 13", student.text()):
        check('"<b>Speedy</b>" (you)' in student.text(), "the ranking lacks the chosen name, as text")
    else:
        print("not ranked here")
        check("not ranked: " in student.text(), "no rank, and no reason")
    name = student.find("input[name=name]")
    name.clear()
    name.send_keys("Speedy", Keys.ENTER)
    student.wait_for_text("Save the name")
    student.look_at_all("assignment")
    for problem in student.complaints():
        # The wrong token above; a report as one file has no icon.
        check("403" in problem or "favicon.ico" in problem, f"the browser complains: {problem}")

    # A place in the queue that is given back by the keyboard.
    staff.go("/staff")
    staff.click("Stop after what runs")
    staff.wait_for_text("stopped by staff")
    student.hand_in("good/cpu-new-forward.cc")
    student.wait_for_text("Take it back")
    student.tab_to("form[action$=cancel] button")
    student.press(Keys.ENTER)
    student.wait_for_text("cancelled")

    # Staff: a student's page, points by hand with a reason, the audit log.
    staff.click("Start the workers")
    staff.wait_for_text("taking submissions")
    staff.go("/staff")
    staff.look_at_all("class")
    staff.click("Ranking of m1")
    staff.wait_for_text("The class, the fastest first")
    check("Student" in [th.text for th in staff.driver.find_elements(By.CSS_SELECTOR, "th")], "the ranking names nobody")
    staff.look_at_all("ranking-for-staff")
    staff.go("/staff")
    staff.click("Student 1 (s1)")
    staff.wait_for_text("As s1 sees it")
    staff.look_at_all("student")
    for path in ("/staff/students/s1/m1", "/staff/gradebook/canvas", "/submissions/2/source"):
        staff.go(path)
        staff.look_at_all(path)
    staff.go("/staff/students/s1")
    extension_by_keyboard(staff, student)
    broken = box_of_the_hand_in(student)
    failing_line_by_keyboard(student, broken)
    regrade_is_asked_for(student, staff, broken)
    comment_at_a_line(student, staff, broken)
    pages_of_staff(student, staff, broken)
    practice_by_keyboard(student, staff)
    clock_of_an_endless_loop(student)
    several_at_once(staff)
    task_of_a_lab(student)
    links_and_errors(student)
    rejudges(staff)
    refusals(student, staff)
    staff.go("/staff/rejudges")
    staff.click("Audit log")
    staff.wait_for_text("submit")
    for change in ("start", "cancel", "extend", "ask for a regrade", "comment", "make token", "revoke token", "begin rejudge", "announce", "add student", "apply rejudge", "cancel rejudge"):
        check(change in staff.text(), f"the audit log lacks '{change}'")
    staff.look_at_all("audit")
    for problem in staff.complaints():
        # The roster that lacks "nobody"; what is to be read before an export.
        check("status of 400" in problem or "status of 409" in problem, f"the browser of staff complains: {problem}")

    # The end of a session ends its pages; staff's are not a student's.
    student.go("/staff")
    check("This is for staff" in student.text(), "a student sees the class")
    student.go("/")
    student.click("Log out")
    student.wait_for_text("Token, as the course")
    student.go("/submissions/1")
    check("Token, as the course" in student.text(), "a page without a session")
    for browser in (student, staff):
        browser.driver.quit()


def box_of_the_hand_in(student):
    """What it tells of the chosen files, of a wrong name, of an ended session, and the Back button."""
    student.go("/assignments/m1")
    check("in " in student.find("[data-until]").text, "the deadline is not counted down")
    student.choose("README.md")
    student.wait_for_text("The assignment expects cpu-new-forward.cc")
    check("README.md, " in student.text() and "not expected by name" in student.text(), "a file that nothing takes is called expected")
    student.find("input[type=file]").clear()
    # A header that the config takes along is no surprise.
    student.choose("own_headers/cpu-new-forward.cc", "own_headers/tile.hpp")
    student.wait_for_text("tile.hpp, ")
    check("not expected" not in student.text(), "a header that is taken along is called unexpected")
    student.find("input[type=file]").clear()
    student.choose("README.md")
    student.wait_for_text("The assignment expects cpu-new-forward.cc")
    student.look_at_all("wrong-name")
    student.click("Hand in")
    student.wait_for_text("not taken, and no attempt used")
    student.find("input[type=file]").clear()
    student.hand_in("not_compiling/cpu-new-forward.cc")
    student.wait_for_page("/submissions/")
    first = student.driver.current_url
    student.driver.back()
    student.wait_for_page("/assignments/m1")
    student.find("input[type=file]").clear()
    student.hand_in("wrong_constant/cpu-new-forward.cc")
    student.wait_for_page("/submissions/")
    check(student.driver.current_url != first, "the form after the Back button hands in nothing new")

    student.go("/assignments/m1")
    student.choose("good/cpu-new-forward.cc")
    student.end_session()
    student.click("Hand in")
    student.wait_for_text("the files are still here")
    student.in_another_tab(student.log_in_again)
    check(student.driver.execute_script("return document.querySelector('input[type=file]').files.length") == 1,
          "the chosen file is gone")
    student.click("Hand in")
    student.wait_for_page("/submissions/")
    return first[len(URL):]


def failing_line_by_keyboard(student, broken):
    """The first screen of a phone has the verdict, the line and the next action."""
    student.go(broken)
    student.wait_for_text("FAILED")
    check("undeclared" in student.find(".source mark").text, "the line of the mistake is not marked")
    check(len(student.driver.find_elements(By.CSS_SELECTOR, ".source li")) >= 4, "the line has no neighbours")
    student.look("broken", width=360)
    student.look("broken")
    student.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                   {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True})
    for css in (".verdict", ".source mark", ".next"):
        bottom = student.driver.execute_script(
            "return document.querySelector(arguments[0]).getBoundingClientRect().bottom", css)
        check(bottom <= 800, f"{css} is not on a phone's first screen: {bottom}")
    student.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    student.tab_to("a[href$='/source']")
    student.press(Keys.ENTER)
    student.wait_for_page(broken + "/source")
    student.look_at_all("source")
    student.click("What changed since submission " + str(int(broken.split("/")[-1]) - 1))
    student.wait_for_text("what changed")
    check(student.driver.find_elements(By.CSS_SELECTOR, "ins"), "no line was added")
    student.look_at_all("difference")


def regrade_is_asked_for(student, staff, broken):
    student.go(broken)
    student.tab_to("textarea:not([readonly])")
    student.press("It <b>builds</b> at home")
    student.tab_to("form[action$=messages] button")
    student.press(Keys.ENTER)
    student.wait_for_text("It <b>builds</b> at home")
    check("Sent: staff see your request." in student.text(), "nothing confirms the request")
    top = student.driver.execute_script("return document.getElementById('comments').getBoundingClientRect().top")
    check(0 <= top < 800, f"the page does not come back at the comments, which are at {top}")
    student.look_at_all("sent")
    staff.go("/staff/submissions")
    staff.look_at_all("submissions")
    staff.find("input[name=disputed]").click()
    staff.click("Show")
    staff.wait("not one submission asks for a regrade",
               lambda: len(staff.driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 1)
    check("asks for a regrade" in staff.text(), "the list does not say who asks")
    staff.click(broken.split("/")[-1])
    staff.wait_for_text("It <b>builds</b> at home")
    staff.find("textarea:not([readonly])").send_keys("Line 7 names what is declared nowhere")
    staff.click("Comment")  # to the form
    staff.find("form[action$=messages] button").click()
    staff.wait_for_text("Sent: the student sees your comment.")
    check("Line 7 names" in staff.text(), "the comment is not shown")
    staff.look_at_all("answered")
    student.go(broken)
    check("Line 7 names what is declared nowhere" in student.text(), "the student does not see the answer")
    staff.go("/staff/submissions?disputed=on")
    check("0 submissions" in staff.text(), "an answered submission still asks")


def practice_by_keyboard(student, staff):
    student.go("/assignments/m1")
    grade = re.search(r"Grade: [\d.]+ of [\d.]+", student.text()).group(0)
    student.choose("good/cpu-new-forward.cc")
    student.tab_to("button[formaction]")
    student.press(Keys.ENTER)
    student.wait_for_text("A practice run: it never counts.")
    student.wait_for_text("PASSED")
    student.find("summary:has(~ label[for=paper])").click()
    student.click("Copy for your report")
    student.wait_for_text("Copied")
    copied = student.driver.execute_script("return document.getSelection().toString() || document.getElementById('paper').value")
    check("| " in copied, f"the tables for a report are none: {copied[:200]}")
    check(student.driver.find_elements(By.CSS_SELECTOR, "form[action$=hand-in] button"), "a run cannot become a hand-in")
    student.look_at_all("practice")
    staff.go("/staff/practice")
    check("Last 24 h" in staff.text() and "m1" in staff.text(), "staff do not see the time of practice runs")
    staff.look_at_all("practice-runs")
    student.go("/assignments/m1")
    check(grade in student.text(), f"after a practice run the page lacks '{grade}'")
    student.go("/")
    student.click("Tell me when a grading is done")
    student.wait_for_text("Send me no more notices")
    student.look_at_all("notices")


def clock_of_an_endless_loop(student):
    student.go("/assignments/m1")
    student.choose("endless_loop/cpu-new-forward.cc")
    student.click("Practice run")
    student.wait_for_text("running")
    student.wait("no clock runs", lambda: re.fullmatch(r"\d+ s so far", student.find("#clock").text))
    student.wait_for_text("out of time")


def task_of_a_lab(student):
    """The statement is there without a click, and the link gives a zip."""
    student.go("/assignments/m2")
    student.wait_for_text("stores the transpose of a in b")
    student.look_at_all("task")
    kind = student.driver.execute_async_script(
        "fetch(arguments[0]).then((r) => r.blob()).then((b) => arguments[1](b.type))",
        student.find("a[href$='/files']").get_attribute("href"))
    check(kind == "application/zip", f"the files to start from are {kind}")


def links_and_errors(student):
    """A link of the course's forum, the page that was asked for before the login, and pages of errors."""
    forum = f"data:text/html,<title>forum</title><a href='{URL}/assignments/m1'>the milestone</a>"
    student.driver.get(forum)
    student.find("a").click()
    student.wait_for_text("Hand in")
    for path, text in (("/nowhere", "Not found"), ("/staff", "Not allowed"), ("/submissions/999", "Not found")):
        student.go(path)
        check(text in student.find("h1").text, f"{path} is no page of '{text}'")
        student.look_at_all("error")
        student.click("To the assignments")
        student.wait_for_text("m1: Milestone 1")
    student.go("/")
    student.click("Log out")
    student.wait_for_text("Token, as the course")
    student.go("/assignments/m1?from=forum")
    student.type_token(STUDENT)
    student.wait_for_page("/assignments/m1?from=forum")


def refusals(student, staff):
    """Pages of errors that no link leads to."""
    student.go("/assignments/m1")
    for _ in range(30):
        status, _text = student.answer("POST", "/ranking-name", body=urllib.parse.urlencode(
            {"assignment": "m1", "name": "Speedy", "form_key": student.find("input[name=form_key]").get_attribute("value")}).encode())
        if status == 429:
            break
    check("Too many names" in student.look_at_refusal(429, "/ranking-name", {"assignment": "m1", "name": "Speedy"}),
          "no limit of names")
    student.go("/assignments/m1")
    too_large = {"Content-Length": str(64 << 20)}  # refused before the body is sent
    check("nothing was taken in" in student.look_at_refusal(413, "/assignments/m1", headers=too_large), "no limit of size")
    student.go("/submissions/1")
    check("cannot be taken back" in student.look_at_refusal(409, "/submissions/1/cancel"), "a graded one is taken back")
    staff.go("/staff/tokens")
    check("your own session" in staff.look_at_refusal(409, "/staff/tokens", {"person": "sam", "action": "revoke"}),
          "staff end the own session")
    staff.go("/staff/rejudges")
    check("already" in staff.look_at_refusal(409, "/staff/rejudges/1/apply"), "a rejudge is applied twice")


def comment_at_a_line(student, staff, broken):
    """By a click on the number of a line, and by its permanent link without a script's help."""
    staff.go(broken + "/source")
    staff.find(".lines li:nth-child(2) > a").click()
    kept = [staff.find(one).get_attribute("value") for one in ("#at-line select", "#at-line input[name=line]")]
    check(kept == ["cpu-new-forward.cc", "2"], f"the form took {kept} of the line")
    check(staff.find(".lines li:nth-child(2) form"), "the form did not move to its line")
    staff.look_at_all("source-form")
    staff.find("#at-line textarea").send_keys("Name it in the header")
    staff.click("Comment at the line")
    staff.wait("no line has the comment", lambda: "Name it in the header" in staff.find(".lines li:nth-child(2)").text)
    place = staff.driver.current_url.removeprefix(URL)
    check(place == broken + "/source#cpu-new-forward.cc:2", f"the line's address is {place}")
    student.go(place)
    check(student.find(":target").text.startswith("2"), "the address leads to another line")
    student.look_at_all("source-comment")
    student.go(broken)
    student.click("cpu-new-forward.cc:2")
    student.wait_for_page(broken + "/source")
    student.click("What changed since the files to start from")
    student.wait_for_text("what changed")
    student.look_at_all("source-template")


def pages_of_staff(student, staff, broken):
    """An assignment's page, chosen rows, an announcement, the roster, and which submission counts."""
    staff.go("/staff")
    staff.click("m1: Milestone 1")
    staff.wait_for_text("What fails most often")
    check("build_failed" in staff.text() or "of 1 student" in staff.text() or "Outcomes" in staff.text(),
          f"the assignment's page says {staff.text()[:800]}")
    staff.look_at_all("assignment-for-staff")
    staff.go("/staff")
    staff.find("input[data-ticks]").click()
    staff.click("Extend for the chosen")
    staff.wait_for_text("Extend for several")
    check(staff.find("textarea").get_attribute("value") == "s1, s2, s3", "the chosen rows are not in the form")
    staff.go("/staff/submissions?assignment=m1")
    staff.find("input.tick").click()
    staff.click("Grade the chosen again")
    staff.wait_for_text("Only of these students")
    check(staff.find("input[name=student]").get_attribute("value") == "s1", "the chosen student is not in the form")
    staff.click("Announcements")
    staff.find("textarea").send_keys("The lab is closed tonight")
    staff.click("Announce")
    staff.wait_for_text("End it")
    staff.look_at_all("announcements")
    student.go("/")
    check("The lab is closed tonight" in student.text(), "the student does not see the announcement")
    student.look_at_all("announced")
    staff.click("End it")
    staff.wait_for_text("ended")
    student.go("/")
    check("The lab is closed tonight" not in student.text(), "an announcement that ended is shown")
    staff.click("Roster")
    for name, value in (("id", "77"), ("login", "s77"), ("name", "Late Comer")):
        staff.find(f"input[name={name}]").send_keys(value)
    staff.click("Add")
    staff.wait_for_text("Change s77")
    staff.look_at_all("roster")
    staff.click("Remove from the roster")
    staff.wait("the student is still there", lambda: "Late Comer" not in staff.text())
    staff.go(broken)
    staff.find("form[action$=count] input[name=reason]").send_keys("a slip")
    staff.click("Let this submission count")
    staff.wait_for_text("Let the rule decide")
    staff.look_at_all("chosen")
    staff.find("form[action$=count] input[name=reason]").send_keys("no slip")
    staff.click("Let the rule decide")
    staff.wait_for_text("Let this submission count")


def several_at_once(staff):
    staff.go("/staff/extensions")
    staff.find("textarea").send_keys("s1\nnobody")
    staff.find("input[name=until]").send_keys("2 d")
    staff.find("input[name=reason]").send_keys("the cluster was down")
    staff.click("Extend the deadline")
    staff.wait_for_text("the roster has no 'nobody'")
    kept = [staff.find(one).get_attribute("value") for one in ("textarea", "input[name=until]", "input[name=reason]")]
    check(kept == ["s1\nnobody", "2 d", "the cluster was down"], f"a refused extension keeps {kept}")
    staff.look_at_all("refused-extension")
    staff.find("textarea").clear()
    staff.find("textarea").send_keys("s1, s2")
    staff.click("Extend the deadline")
    staff.wait("the two are not extended",
               lambda: len(staff.driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == 2)
    staff.look_at_all("extensions")
    staff.find("textarea").send_keys("s1, s2")
    staff.find("input[name=reason]").send_keys("a drill")
    staff.click("Extend the deadline")
    staff.wait_for_text("None.")
    staff.go("/staff/tokens")
    staff.find("input[name=person]").send_keys("s3")
    staff.click("Do it")
    staff.wait_for_text("New token of s3")
    staff.look_at_all("tokens")
    token = staff.find("pre").text
    other = Browser()
    other.log_in(token)
    other.wait_for_text("Milestone 1")
    other.go("/assignments/m1")
    other.hand_in("good/cpu-new-forward.cc")
    other.wait_for_text("PASSED")
    staff.find("input[name=person]").send_keys("s3")
    Select(staff.find("select[name=action]")).select_by_value("revoke")
    staff.click("Do it")
    staff.wait("the token has not ended", lambda: "New token" not in staff.text())
    other.go("/")
    check("Token, as the course" in other.text(), "a revoked token's session goes on")
    other.driver.quit()


def extension_by_keyboard(staff, student):
    student.go("/")
    check("2099-01-01" in student.text(), f"the page lacks the deadline: {student.text()[:500]}")
    staff.go("/staff/students/s1")
    staff.tab_to("form[action$=extension] input[name=until]")
    staff.press("7 d")
    staff.tab_to("form[action$=extension] input[name=reason]")
    staff.press("ill", Keys.ENTER)
    staff.wait_for_text("2099-01-08")
    student.go("/")
    student.wait_for_text("2099-01-08")
    # Taken back by the mouse.
    staff.find("form[action$=extension] input[name=reason]").send_keys("well again")
    staff.click("Extend the deadline")
    staff.wait("the extension stays", lambda: "2099-01-08" not in staff.text())
    student.go("/")
    check("2099-01-01" in student.text(), "the student's deadline is not the old one")


def rejudges(staff):
    staff.click("Rejudges")
    staff.wait_for_text("Grade again")
    staff.look_at_all("rejudges")

    def graded():  # the page loads itself again
        return "would change" in staff.text() and "1 of 1 graded" in staff.text()

    # Begun by the keyboard: without a reason the browser itself refuses the form.
    staff.tab_to("input[name=student]")
    staff.press("s3", Keys.ENTER)
    check(staff.driver.current_url.endswith("/staff/rejudges"), "a rejudge without a reason was begun")
    staff.tab_to("input[name=reason]")
    staff.press("a hot <machine>", Keys.ENTER)
    staff.wait_for_text("Rejudge 1")
    check("a hot <machine>" in staff.text(), "the page lacks the reason")
    staff.wait("the rejudge is not graded", graded, poll=1)
    staff.look_at_all("rejudge")
    staff.tab_to("form[action$=apply] button")
    staff.press(Keys.ENTER)
    staff.wait_for_text("applied by sam")
    check(not staff.driver.find_elements(By.CSS_SELECTOR, "main form"), "an applied rejudge can be decided again")

    # Another config, by the mouse: it is previewed, and not applied before course.yaml names it.
    staff.click("Rejudges")
    Select(staff.find("select[name=config]")).select_by_visible_text("night.yaml")
    staff.find("input[name=student]").send_keys("s3")
    staff.find("input[name=reason]").send_keys("a try")
    staff.click("Grade again")
    staff.wait_for_text("Rejudge 2")
    check("by night.yaml" in staff.text(), "the page lacks the config")
    staff.wait("the try is not graded", graded, poll=1)
    check("Name night.yaml there" in staff.text(), "the page does not tell how to apply")
    check("1 grade would change." in staff.text(), "the config's points change no grade")
    check(not staff.driver.find_elements(By.CSS_SELECTOR, "form[action$=apply]"), "a try can be applied")
    staff.look_at_all("rejudge-of-a-config")
    staff.click("Cancel")
    staff.wait_for_text("cancelled by sam")
    staff.click("Rejudges")
    staff.wait_for_text("2, m1: cancelled - a try")
    check("1, m1: applied - a hot <machine>" in staff.text(), "the list lacks the first rejudge")


def without_scripts():
    plain = Browser(scripts=False)
    plain.driver.get("data:text/html,<title>off</title><script>document.title = 'on'</script>")
    check(plain.driver.title == "off", "scripts run")
    plain.log_in(STUDENT)
    plain.wait_for_text("Milestone 1")
    plain.go("/assignments/m1")
    plain.hand_in("README.md")
    plain.wait_for_text("not taken, and no attempt used")
    plain.hand_in("good/cpu-new-forward.cc")
    plain.wait_for_page("/submissions/")
    plain.wait_for_text("PASSED")  # the page loads itself again
    plain.look("passed-without-scripts", width=360)
    # An ended session: the page says so, and the browser has the file still when one goes back.
    plain.go("/assignments/m1")
    plain.choose("not_compiling/cpu-new-forward.cc")
    plain.end_session()
    plain.click("Hand in")
    plain.wait_for_text("Your session has ended, and nothing was taken in")
    plain.in_another_tab(plain.log_in_again)
    plain.driver.back()
    plain.wait_for_page("/assignments/m1")
    plain.click("Hand in")
    plain.wait_for_page("/submissions/")
    plain.driver.quit()


student_and_staff()
without_scripts()
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
