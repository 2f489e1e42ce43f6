// Rules of accessibility, computed in the page: names of controls, contrast as WCAG 2.1 AA wants it, headings, tables, width.
// A list of what breaks them.
const found = [];
const say = (rule, element) => found.push(rule + ": " + element.outerHTML.slice(0, 120));
const shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
const luminance = (c) => {
  const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const layer = (colour) => { const n = numbers(colour); return n.length === 3 ? [...n, 1] : n; };
const behind = (e) => {
  const layers = [];
  for (; e; e = e.parentElement) layers.push(layer(getComputedStyle(e).backgroundColor));
  let below = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  for (const one of layers.reverse()) below = over(one, below);
  return below;
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = texts.nextNode());) {
  const e = node.parentElement;
  if (!node.data.trim() || !shown(e) || e.closest("title, noscript, script, style")) continue;
  const style = getComputedStyle(e), back = behind(e);
  const paint = layer(e.closest("svg") ? style.fill : style.color);
  const [low, high] = [luminance(over(paint, back)), luminance(back)].sort((a, b) => a - b);
  const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
  const large = size >= 24 || (bold && size >= 18.66);
  const ratio = (high + 0.05) / (low + 0.05);
  if (ratio < (large ? 3 : 4.5)) say("contrast " + ratio.toFixed(2), e);
}
for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
  if (![...(e.labels || [])].some((l) => l.textContent.trim()) && !e.getAttribute("aria-label")) say("no label", e);
for (const e of document.querySelectorAll("a[href], button"))
  if (!e.textContent.trim() && !e.getAttribute("aria-label")) say("no name", e);
for (const e of document.querySelectorAll("img:not([alt])")) say("no alternative text", e);
for (const e of document.querySelectorAll("svg[role=img]")) if (!e.querySelector("title")) say("no title", e);
for (const e of document.querySelectorAll("figure:has(svg)"))
  if (!e.querySelector("table tbody tr")) say("a plot without a table", e);
for (const e of document.querySelectorAll("th:not([scope])")) say("header cell without a scope", e);
if (!document.documentElement.lang) found.push("no language");
if (!document.title) found.push("no title");
if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
if (!document.querySelector("main")) found.push("no main");
let level = 1;
for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
  if (Number(e.tagName[1]) > level + 1) say("a heading level is left out", e);
  level = Number(e.tagName[1]);
}
// Words that run over what stands beside them, or that a narrow cell cuts.
for (const cell of document.querySelectorAll("td, th")) {
  if (!shown(cell)) continue;
  const box = cell.getBoundingClientRect(), all = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node; (node = all.nextNode());) {
    if (!node.data.trim() || node.parentElement.closest(".unseen, pre")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width && (text.right > box.right + 1 || text.left < box.left - 1)) say("text outside of its cell", cell);
    for (const word of node.data.matchAll(/(?<!\S)\p{L}{3,12}(?!\S)/gu)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) say("a word cut in two", cell);
    }
  }
}
for (const e of document.querySelectorAll("[hidden]")) if (shown(e)) say("hidden, but shown", e);
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) found.push("an id stands twice");
if (document.scrollingElement.scrollWidth > innerWidth) found.push("wider than the window: "
  + document.scrollingElement.scrollWidth + " > " + innerWidth);
return found;
