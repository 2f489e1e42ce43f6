#include "grader/course/dashboard.hpp"

namespace opgrade::course {
namespace {

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--line:#8884;--bar:#3a7bd5}
body{font:14px/1.45 system-ui,sans-serif;margin:1.2rem auto;max-width:76rem;padding:0 1rem}
h1{font-size:1.4rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:1.4rem 0 .4rem}
.tiles,.charts{display:flex;flex-wrap:wrap;gap:.8rem;margin:.8rem 0}
.tile{border:1px solid var(--line);border-radius:.4rem;padding:.4rem .9rem}
.tile b{display:block;font-size:1.3rem}
.chart{border:1px solid var(--line);border-radius:.4rem;padding:.6rem .9rem;flex:1 1 21rem;min-width:0}
.chart h2{margin-top:0}
.row{display:grid;grid-template-columns:10rem 1fr 4rem;gap:.5rem;align-items:center}
.row span:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.row i{background:var(--bar);height:.8rem;display:block;border-radius:.15rem}
#machines .row{grid-template-columns:15rem 1fr 3rem}.chart p{margin:.1rem 0}
.row span:last-child{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%}
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
th{position:sticky;top:0;background:Canvas}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid}
th[aria-sort=ascending] button::after{content:" \25B2"}
th[aria-sort=descending] button::after{content:" \25BC"}
#rows tr{cursor:pointer}#rows tr:hover{background:#8882}
#student{border:1px solid var(--line);border-radius:.4rem;padding:.8rem 1rem;margin:1rem 0}
.muted{opacity:.7}input,select{font:inherit;padding:.2rem .4rem}input{width:min(18rem,60vw)}
@media(max-width:40rem){.wide{display:none}.row,#machines .row{grid-template-columns:10rem 1fr 3rem}}
)css";

constexpr const char* kScript = R"js(
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const make = (tag, text, attributes) => {
  const e = document.createElement(tag);
  if (text !== undefined && text !== null) e.textContent = text;
  for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
  return e;
};
const number = v => v === null || v === undefined ? '' : String(Math.round(v * 100) / 100);
const time = v => v === undefined ? '' : Number(v.toPrecision(4)) + ' ms';
const gradeOf = s => s.grades[state.assignment];
const sumTime = g => { const t = Object.values(g.times || {}); return t.length ? t.reduce((a, b) => a + b) : undefined; };
const state = {assignment: 0, sort: 'login', down: false};
const columns = [
  ['login', 'Login', s => s.login], ['name', 'Name', s => s.name],
  ['section', 'Section', s => s.section, 'wide'], ['team', 'Team', s => s.team, 'wide'],
  ['points', 'Points', s => gradeOf(s).points, 'n'], ['state', 'State', s => gradeOf(s).state],
  ['outcome', 'Outcome', s => gradeOf(s).outcome || ''], ['late', 'Late days', s => gradeOf(s).late, 'n wide'],
  ['time', 'Op Times', s => sumTime(gradeOf(s)), 'n wide'], ['reason', 'Reason', s => gradeOf(s).reason, 'wide']];

function bars(id, title, rows) {
  const box = $(id);
  box.replaceChildren(make('h2', title));
  const most = Math.max(1, ...rows.map(r => r[1]));
  for (const [label, value, text] of rows) {
    const row = make('div', null, {class: 'row'});
    const bar = make('i');
    bar.style.width = 100 * value / most + '%';
    row.append(make('span', label, {title: label}), bar, make('span', text === undefined ? value : text));
    box.append(row);
  }
  if (!rows.length) box.append(make('p', 'nothing yet', {class: 'muted'}));
}

function counted(values) {
  const counts = new Map();
  for (const v of values) counts.set(v, (counts.get(v) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function histogram(values, low, high, bins, text) {
  const counts = Array(bins).fill(0);
  for (const v of values) counts[Math.max(0, Math.min(bins - 1, Math.floor((v - low) / (high - low) * bins)))]++;
  return counts.map((n, i) => [text(low + (high - low) * i / bins) + ' to ' + text(low + (high - low) * (i + 1) / bins), n]);
}

function overview() {
  const all = data.students.map(s => [s, gradeOf(s)]);
  const states = new Map(counted(all.map(([, g]) => g.state)));
  const tiles = $('tiles');
  tiles.replaceChildren();
  for (const [name, n] of [[all.length === 1 ? 'student' : 'students', all.length], ...['graded', 'open', 'missing', 'excused'].map(k => [k, states.get(k) || 0])]) {
    const tile = make('div', name, {class: 'tile'});
    tile.prepend(make('b', n));
    tiles.append(tile);
  }
  const maximum = data.assignments[state.assignment].maximum || 1;
  const points = all.map(([, g]) => g.points).filter(p => p !== null);
  bars('points', 'Points of ' + number(maximum), points.length ? histogram(points, 0, maximum, 10, number) : []);
  const cases = [...new Set(all.flatMap(([, g]) => Object.keys(g.times || {})))].sort();
  const chosen = $('case').value;
  $('case').replaceChildren(...cases.map(c => make('option', c)));
  if (cases.includes(chosen)) $('case').value = chosen;
  const times = all.map(([, g]) => (g.times || {})[$('case').value]).filter(t => t > 0).map(Math.log10);
  const low = Math.min(...times), high = Math.max(...times);
  bars('times', 'Op Times', times.length ? histogram(times, low, high > low ? high : low + 1, 10, v => time(10 ** v)) : []);
  bars('outcomes', 'Outcomes', counted(all.filter(([, g]) => g.outcome).map(([, g]) => g.outcome)));
  bars('builds', 'Slowest builds', all.filter(([, g]) => g.build > 0).sort((a, b) => b[1].build - a[1].build).slice(0, 10)
    .map(([s, g]) => [s.login, g.build, number(g.build) + ' s']));
  const attempts = new Map();
  for (const [, g] of all) for (const s of g.submissions) for (const a of s.attempts) attempts.set(a.id, a);
  bars('machines', 'Gradings by machine', counted([...attempts.values()].map(a => a.machine)));
  const open = all.filter(([, g]) => g.state === 'open');
  $('open').replaceChildren(make('h2', 'Open: ' + open.length), ...open.slice(0, 12).map(([s, g]) => make('p', s.login + ': ' + g.reason)));
  if (open.length > 12) $('open').append(make('p', 'the table filtered by "open" shows all', {class: 'muted'}));
}

function table() {
  const words = $('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [];
  for (const s of data.students) {
    const cells = columns.map(c => c[2](s));
    const text = cells.join(' ').toLowerCase();
    if (words.every(w => text.includes(w))) rows.push([s, cells]);
  }
  const at = columns.findIndex(c => c[0] === state.sort);
  const blank = v => v === null || v === undefined || v === '';
  rows.sort(([, a], [, b]) => {
    const x = a[at], y = b[at];
    if (blank(x) || blank(y)) return blank(x) - blank(y);
    return (typeof x === 'number' ? x - y : String(x).localeCompare(String(y))) * (state.down ? -1 : 1);
  });
  const fragment = document.createDocumentFragment();
  for (const [s, cells] of rows) {
    const row = make('tr', null, {tabindex: 0});
    row.dataset.login = s.login;
    cells.forEach((v, i) => row.append(make('td', columns[i][0] === 'time' ? time(v) : typeof v === 'number' ? number(v) : v, {class: columns[i][3] || ''})));
    fragment.append(row);
  }
  $('rows').replaceChildren(fragment);
  $('count').textContent = rows.length + ' of ' + data.students.length;
  for (const th of document.querySelectorAll('#head th')) {
    if (th.dataset.key === state.sort) th.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
    else th.removeAttribute('aria-sort');
  }
}

function list(headers, rows) {
  const t = make('table'), head = make('tr');
  head.append(...headers.map(h => make('th', h)));
  t.append(head);
  for (const cells of rows) {
    const row = make('tr');
    row.append(...cells.map(c => make('td', c)));
    t.append(row);
  }
  return t;
}

function student(login) {
  const s = data.students.find(one => one.login === login);
  const box = $('student');
  box.replaceChildren();
  box.hidden = !s;
  if (!s) return;
  const close = make('button', 'close', {id: 'close'});
  close.onclick = () => { location.hash = ''; };
  box.append(close, make('h2', s.login + ' - ' + s.name + (s.team ? ', team ' + s.team : '')));
  s.grades.forEach((g, i) => {
    box.append(make('h2', data.assignments[i].title + ': ' + g.grade), ...g.why.map(line => make('p', line)));
    for (const u of g.submissions) {
      box.append(make('p', 'Submission ' + u.id + ' of ' + u.at + (u.late ? ', ' + u.late + ' days late' : '') +
        (u.counts ? ': counts' : u.whyNot ? ': does not count, ' + u.whyNot : '')));
      if (u.attempts.length) box.append(list(['Grading', 'Outcome', 'Points', 'Config', 'opgrade', 'Machine', 'Started', 'Report'],
        u.attempts.map(a => [a.number + (a.rejudge ? ', rejudge ' + a.rejudge + (a.counts ? '' : ' (does not count)') : ''), a.outcome,
          number(a.points) + ' of ' + number(a.max) + (a.open ? ' (' + number(a.open) + ' open)' : ''), a.config, a.version,
          a.machine + ', ' + a.tier + ', ' + a.device, a.started, a.result])));
    }
    if (g.changes.length) box.append(list(['Change', 'By', 'At', 'Reason'], g.changes.map(c => [c.what, c.who, c.at, c.reason])));
  });
  box.scrollIntoView();
}

$('title').textContent = data.title;
$('at').textContent = 'as of ' + data.at;
data.assignments.forEach((a, i) => $('assignment').append(make('option', a.title, {value: i})));
for (const [key, label, , kind] of columns) {
  const th = make('th', null, {class: kind || ''}), button = make('button', label);
  th.dataset.key = key;
  th.append(button);
  button.onclick = () => { state.down = state.sort === key && !state.down; state.sort = key; table(); };
  $('head').append(th);
}
const draw = () => { overview(); table(); };
$('assignment').onchange = () => { state.assignment = Number($('assignment').value); draw(); };
$('case').onchange = overview;
$('filter').oninput = table;
const opened = e => { const row = e.target.closest('tr'); if (row) location.hash = encodeURIComponent(row.dataset.login); };
$('rows').onclick = opened;
$('rows').onkeydown = e => { if (e.key === 'Enter') opened(e); };
window.onhashchange = () => student(decodeURIComponent(location.hash.slice(1)));
draw();
window.onhashchange();
)js";

constexpr const char* kBody = R"html(<h1 id="title"></h1>
<p class="muted" id="at"></p>
<label>Assignment <select id="assignment"></select></label>
<div class="tiles" id="tiles"></div>
<section id="student" hidden></section>
<div class="charts">
<div class="chart" id="points"></div>
<div class="chart"><div id="times"></div><label>Case <select id="case"></select></label></div>
<div class="chart" id="outcomes"></div>
<div class="chart" id="builds"></div>
<div class="chart" id="machines"></div>
<div class="chart" id="open"></div>
</div>
<h2>Students</h2>
<p><label>Filter <input id="filter" type="search" placeholder="login, name, outcome, state"></label> <span id="count"></span></p>
<table><thead><tr id="head"></tr></thead><tbody id="rows"></tbody></table>
)html";

std::string html_text(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

}  // namespace

std::string dashboard_page(const std::string& title, const std::string& data) {
  // No "</script>" or "<!--" of a name ends the element: JSON has '<' in strings alone.
  std::string safe;
  for (const char c : data) safe += c == '<' ? "\\u003c" : std::string(1, c);
  return std::string("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">") +
         "<meta name=\"viewport\" content=\"width=device-width\">" +
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "script-src 'unsafe-inline'; style-src 'unsafe-inline'\">" +
         "<title>" + html_text(title) + "</title><style>" + kStyle + "</style></head><body>\n" +
         kBody + "<script type=\"application/json\" id=\"data\">" + safe + "</script>\n<script>" +
         kScript + "</script></body></html>\n";
}

}  // namespace opgrade::course
