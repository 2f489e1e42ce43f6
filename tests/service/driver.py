"""A real headless Chromium for the tests of the pages, and the rules that each page must keep."""
import http.client
import os
import re
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

LONGEST = 120  # seconds: a limit for a hang, no measurement
failures = []
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rules.js"), encoding="utf-8") as file:
    RULES = file.read()


def check(right, what):
    if not right:
        failures.append(what)
        print("FAILED:", what)


class Browser:
    """`axe`: the script of axe-core, or empty."""

    def __init__(self, url, axe="", scripts=True):
        self.url = url
        self.axe_script = axe
        self.scripts = scripts
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--hide-scrollbars", "--disable-lcd-text", "--window-size=1280,900",
                         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
            options.add_argument(argument)
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_page_load_timeout(LONGEST)
        self.driver.set_script_timeout(LONGEST)

    def go(self, path):
        self.driver.get(self.url + path)

    def find(self, css):
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def text(self):
        return self.find("body").text

    def wait(self, what, until, poll=0.25, longest=LONGEST):
        try:
            WebDriverWait(self.driver, longest, poll, [WebDriverException]).until(lambda _: until())
        except WebDriverException:
            check(False, f"{what}; the page says: {self.text()[:1500]}")

    def wait_for_text(self, text):
        self.wait(f"the page lacks '{text}'", lambda: text in self.text())

    def click(self, text):
        for element in self.driver.find_elements(By.CSS_SELECTOR, "a, button"):
            if element.text.strip() == text:
                element.click()
                return
        check(False, f"{self.driver.current_url} has no link or button '{text}'")

    def press(self, *keys):
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def tab_to(self, css, longest=60):
        """By the Tab key alone, as one who has no mouse; the focus must show."""
        for _ in range(longest):
            self.press(Keys.TAB)
            focus = self.driver.switch_to.active_element
            if focus == self.find(css):
                width = self.driver.execute_script("return getComputedStyle(arguments[0]).outlineStyle", focus)
                check(width != "none", f"{css} does not show its focus")
                return
        check(False, f"no Tab reaches {css} at {self.driver.current_url}")

    def type_token(self, token):
        self.find("input[name=token]").send_keys(token)
        self.click("Log in")

    def log_in(self, token):
        self.go("/")
        self.type_token(token)

    def wait_for_page(self, path):
        self.wait(f"{path} does not come", lambda: self.driver.current_url.startswith(self.url + path))

    def in_another_tab(self, do):
        here = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        do()
        self.driver.close()
        self.driver.switch_to.window(here)

    def end_session(self):
        """As after its fourteen days: the server knows the cookie no more."""
        cookie = self.driver.get_cookie("opgrade_session")
        self.driver.delete_cookie("opgrade_session")
        self.driver.add_cookie({"name": "opgrade_session", "value": "0" * len(cookie["value"]), "path": "/"})

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def photograph(self, file, width, tallest):
        """The page from its top, as tall as it is but for a limit."""
        self.resize(width, 800)
        self.resize(width, min(self.driver.execute_script("return document.documentElement.scrollHeight"), tallest))
        self.driver.save_screenshot(file)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def look(self, name, width=1280, dark=False):
        """The rules at this width and colour scheme."""
        scheme = "dark" if dark else "light"
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.resize(width, 800)
        found = self.driver.execute_script(RULES) + ["axe: " + one for one in self.axe()]
        for problem in found[:5]:
            check(False, f"{name}, {width} px, {scheme}: {problem}")
        if len(found) > 5:
            print(f"{len(found) - 5} more")
        if dark:
            back = self.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
            check(max(map(int, re.findall(r"\d+", back)[:3])) < 80, f"{name}: the dark page is {back}")
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def axe(self):
        """What axe-core finds. It cannot run where scripts are off."""
        if not self.axe_script or not self.scripts:
            return []
        self.driver.execute_script(self.axe_script)
        return self.driver.execute_async_script("""
            const done = arguments[0];
            axe.run(document, { resultTypes: ["violations"] }).then((found) => done(found.violations
              .map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => n.html.slice(0, 150)).join(" | "))));""")

    def look_at_all(self, name):
        self.look(name)
        self.look(name + "-dark", dark=True)
        self.look(name + "-phone", width=360)

    def answer(self, method, path, headers=None, body=b""):
        """What the server answers this browser's session, without the browser: status and text."""
        host, port = self.url.removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=LONGEST)
        cookie = self.driver.get_cookie("opgrade_session")["value"]
        headers = {"Cookie": "opgrade_session=" + cookie, "Content-Type": "application/x-www-form-urlencoded",
                   **(headers or {})}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def look_at_refusal(self, status, path, fields=None, headers=None):
        """The page by which a form is refused."""
        key = self.find("input[name=form_key]").get_attribute("value")
        body = urllib.parse.urlencode({**(fields or {}), "form_key": key}).encode()
        got, text = self.answer("POST", path, headers, body)
        check(got == status, f"{path} is answered with {got}, not {status}")
        self.driver.execute_script("document.documentElement.innerHTML = arguments[0];", text)
        self.wait("the refusal is not shown", lambda: self.find("main [role=alert]").text)
        self.look_at_all(f"refused-{status}")
        return self.find("main").text

    def complaints(self):
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
