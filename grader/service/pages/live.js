"use strict";
const again = document.currentScript.dataset.again;
let typed = false;
document.addEventListener("input", () => { typed = true; });
if (again) setInterval(() => { if (!typed) location.reload(); }, again * 1000);
const log = document.getElementById("log");
if (log && window.EventSource) {
  const place = document.getElementById("place");
  const source = new EventSource("/api/submissions/" + log.dataset.id + "/events");
  const seen = new Set(Array.from(log.children, (one) => one.dataset.event));
  let before = Number(log.dataset.last) * 1000;
  // How long the last step takes so far: an endless loop runs until its limit. The clocks of browser and server may differ.
  let since = performance.now() - Number(log.dataset.age || 0) * 1000;
  const clock = document.createElement("p");
  clock.id = "clock";
  clock.className = "soft";
  clock.setAttribute("aria-hidden", "true");  // it would be read aloud each second
  log.after(clock);
  setInterval(() => {
    const seconds = Math.floor((performance.now() - since) / 1000);
    if (seconds >= 2) clock.textContent = seconds + " s so far";
  }, 1000);
  source.addEventListener("message", (event) => {
    if (seen.has(event.lastEventId)) return;
    seen.add(event.lastEventId);
    const said = JSON.parse(event.data), line = document.createElement("li");
    line.textContent = said.text;
    line.className = said.mark || "";
    const seconds = before ? Math.round((Date.parse(said.at) - before) / 1000) : 0;
    before = Date.parse(said.at);
    since = performance.now();
    clock.textContent = "";
    if (seconds > 0) {
      const span = document.createElement("span");
      span.className = "soft";
      span.textContent = seconds + " s";
      line.append(span);
    }
    log.append(line);
  });
  source.addEventListener("place", (event) => {
    const now = JSON.parse(event.data);
    if (place) place.textContent = now.text;
    const back = document.querySelector("form[action$='/cancel']");
    if (back) back.hidden = now.position === 0;  // a fault puts it into the queue again
  });
  // Refused, as where too many are open: a look from time to time instead.
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 10000);
  });
  source.addEventListener("end", () => { source.close(); location.reload(); });
}

const show_copied = (copy, label) => {
  copy.textContent = "Copied";
  setTimeout(() => { copy.textContent = label; }, 2000);
};

// Over plain HTTP a browser gives no page its clipboard.
if (navigator.clipboard)
  for (const one of document.querySelectorAll("code.command")) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.setAttribute("aria-label", "Copy: " + one.textContent);
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(one.textContent);
      show_copied(copy, "Copy");
    });
    one.after(" ", copy);
  }

// All rows of a table at once.
for (const all of document.querySelectorAll("[data-ticks]")) {
  all.closest("label").hidden = false;
  all.addEventListener("change", () => {
    for (const tick of all.form.querySelectorAll("input.tick")) tick.checked = all.checked;
  });
}

// The form of comments moves to the line whose number is clicked.
const at_line = document.getElementById("at-line");
if (at_line) {
  const home = at_line.closest("section");
  const take = (line) => {
    at_line.elements.file.value = line.closest("[data-file]").dataset.file;
    at_line.elements.line.value = line.id.slice(line.id.lastIndexOf(":") + 1);
  };
  const named = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named() && named().closest("[data-file]")) take(named());
  for (const number of document.querySelectorAll(".lines li > a"))
    number.addEventListener("click", () => {
      const line = number.closest("li");
      take(line);
      home.hidden = true;
      line.append(at_line);
    });
}

for (const one of document.querySelectorAll("[data-until]")) {
  const show = () => {
    const left = Math.floor(one.dataset.until - Date.now() / 1000);
    if (left <= 0) { one.textContent = "now"; return; }
    const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
    const first = units.findIndex((unit) => left >= unit[1]);
    one.textContent = "in " + units.slice(first, first + 2).map(([name, length], i) =>
      Math.floor(i === 0 ? left / length : left % units[first][1] / length) + " " + name).join(" ");
  };
  show();
  setInterval(show, 1000);
}

const upload = document.getElementById("upload");
if (upload) {
  const input = upload.querySelector("input[type=file]");
  const chosen = document.getElementById("chosen");
  // Files that are chosen one by one have no folder; those of several exercises may lie together.
  const expected = upload.dataset.expects.split("|").map((path) => path.split("/").pop());
  // The patterns of the config: * and ? stand for characters of one name.
  const as_expression = (pattern) => new RegExp("^" + pattern.replace(/[.+^${}()|\[\]\\]/g, "\\$&")
    .replace(/[*]/g, ".*").replace(/[?]/g, ".") + "$");
  const taken = upload.dataset.takes.split("|").filter(Boolean).map(as_expression);
  const say = (text, css) => {
    const line = document.createElement("li");
    line.textContent = text;
    line.className = css;
    chosen.append(line);
  };
  const look = () => {
    chosen.textContent = "";
    const files = Array.from(input.files);
    const is_archive = (file) => /\.(zip|tar|tgz|tar\.\w+)$/.test(file.name);
    let bytes = 0;
    for (const file of files) {
      bytes += file.size;
      const known = expected.includes(file.name) || is_archive(file) || taken.some((one) => one.test(file.name));
      say(file.name + ", " + file.size + " bytes" + (known ? "" : ": not expected by name"), known ? "good" : "open");
    }
    if (bytes > Number(upload.dataset.most)) say("Too large: " + bytes + " bytes of at most " + upload.dataset.most, "bad");
    if (files.length && !files.some(is_archive))
      if (!expected.some((name) => files.some((file) => file.name === name)))
        say("The assignment expects " + expected.join(" or ") + ": rename the file", "bad");
  };
  input.addEventListener("change", look);
  window.addEventListener("pageshow", look);
  // The files stay chosen when the session has ended, the service does not answer, or refuses them.
  const complain = (text) => {
    const refused = document.getElementById("refused");
    refused.textContent = text;
    refused.hidden = !text;
  };
  upload.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain("");
    try {
      const session = await fetch("/api/me", { cache: "no-store" });
      document.getElementById("ended").hidden = session.status !== 401;
      if (session.status === 401) return;
      const to = (event.submitter && event.submitter.getAttribute("formaction")) || upload.action;
      const answer = await fetch(to, { method: "POST", body: new FormData(upload) });
      if (answer.redirected) { location.assign(answer.url); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const why = page.querySelector("main [role=alert]:not([hidden])");
      complain(why ? why.textContent : "Not taken in (" + answer.status + ").");
      if (answer.status === 409) document.getElementById("incomplete").hidden = false;
    } catch (error) {
      complain("The service does not answer; the files are still here. Try again in a minute.");
    }
  });
}

for (const copy of document.querySelectorAll("[data-copy]")) {
  const text = document.getElementById(copy.dataset.copy);
  const label = copy.textContent;
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    text.select();
    try {
      await navigator.clipboard.writeText(text.value);
    } catch (error) {
      document.execCommand("copy");  // plain HTTP has no clipboard
    }
    show_copied(copy, label);
  });
}

// A document beside its rubric. Each key and each click is one decision, which every open page of the document shows within
// seconds. Without scripts the same buttons send forms.
const marking = document.querySelector("[data-marking]");
if (marking) {
  const rubric = marking.querySelector(".rubric");
  const key_of_form = () => { const one = rubric.querySelector("input[name=form_key]"); return one ? one.value : ""; };
  const complain = (text) => {
    const refused = document.getElementById("refused");
    refused.textContent = text;
    refused.hidden = !text;
  };
  const show_text = (field, text) => {
    if (!field || field === document.activeElement || field.dataset.typed) return;
    field.value = text;
  };
  const show = (state) => {
    document.getElementById("marks").textContent = state.text;
    for (const item of rubric.querySelectorAll("[data-item]")) {
      const on = state.items.includes(item.dataset.item);
      item.setAttribute("aria-pressed", on ? "true" : "false");
      item.value = (on ? "off " : "on ") + item.dataset.item;
    }
    for (const group of rubric.querySelectorAll("[data-group]")) group.textContent = state.groups[group.dataset.group];
    for (const field of rubric.querySelectorAll("[data-free-points]"))
      show_text(field, (state.free[field.dataset.freePoints] || { points: "" }).points);
    for (const field of rubric.querySelectorAll("[data-free-text]"))
      show_text(field, (state.free[field.dataset.freeText] || { text: "" }).text);
    for (const field of rubric.querySelectorAll("[data-comment]")) show_text(field, state.comments[field.dataset.comment] || "");
    const again = document.getElementById("open-again");
    if (again) again.hidden = !state.done;  // who only looks has no forms
    const others = document.getElementById("others");
    others.textContent = state.others.length ? state.others.join(", ") + " is at this document, too." : "";
    others.hidden = !state.others.length;
  };
  let asked = 0, shown = 0;  // an answer that comes late must not replace a later one
  const ask = async (to, options) => {
    const number = ++asked;
    try {
      const answer = await fetch(to, { cache: "no-store", headers: { Accept: "application/json", "X-Form-Key": key_of_form(),
        "Content-Type": "application/x-www-form-urlencoded" }, ...options });
      const state = await answer.json();
      if (!answer.ok) { complain(state.error); return false; }
      if (number > shown) { shown = number; show(state); }
      return true;
    } catch (error) {
      complain("The service does not answer. What you see may be old; try again in a minute.");
      return false;
    }
  };
  const send = async (form, submitter) => {
    const fields = new URLSearchParams(new FormData(form));
    if (submitter && submitter.name) fields.set(submitter.name, submitter.value);
    const typed = Array.from(form.querySelectorAll("[data-typed]"), (field) => [field, field.value]);
    if (!await ask(marking.dataset.marking, { method: "POST", body: fields })) return false;
    for (const [field, text] of typed) if (field.value === text) delete field.dataset.typed;
    return true;
  };
  // What was typed and not stored yet goes first: the page may be left afterwards.
  const store_typed = async (other) => {
    const forms = new Set(Array.from(rubric.querySelectorAll("[data-typed]"), (field) => field.form));
    for (const form of forms) if (form !== other && !await send(form)) return false;
    return true;
  };
  const next = async () => { if (await store_typed()) location.assign(document.getElementById("next-document").href); };
  for (const form of rubric.querySelectorAll("form"))
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      complain("");
      if (document.activeElement && form.contains(document.activeElement) && document.activeElement.matches("input, textarea"))
        document.activeElement.blur();
      const is_done = form.id === "done";
      if (is_done && !await store_typed(form)) return;
      if (await send(form, event.submitter) && is_done) await next();
    });
  const click_or_focus = (control, act) => { if (control) control[act](); };
  rubric.addEventListener("input", (event) => { event.target.dataset.typed = "yes"; });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;  // a held key decides once
    if (event.key === "Escape") document.activeElement.blur();
    if (event.target.closest("input, textarea, select")) return;
    const pages = Array.from(marking.querySelectorAll(".document img"));
    const at = pages.findIndex((one) => one.getBoundingClientRect().bottom > 1);
    const item = rubric.querySelector("[data-key='" + CSS.escape(event.key) + "']");
    if (item) item.click();
    else if (event.key === "c") click_or_focus(rubric.querySelector("[data-comment='']"), "focus");
    else if (event.key === "n") next();
    else if (event.key === "Enter" && !event.target.closest("a, button, summary")) click_or_focus(document.querySelector("#done button"), "click");
    else if (event.key === "j" && pages[at + 1]) pages[at + 1].scrollIntoView();
    else if (event.key === "k" && pages[at - 1]) pages[at - 1].scrollIntoView();
    else return;
    event.preventDefault();
  });
  ask(marking.dataset.marking + "/state", {});
  setInterval(() => ask(marking.dataset.marking + "/state", {}), 2000);
}
