#include "grader/report/html_style.hpp"

namespace opgrade::report {

const char* const kHtmlStyle = R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1c2024; --soft: #5b6470;
  --line: #d9dee5; --good: #116b3a; --bad: #b3261e; --open: #805500; --code: #f0f2f5; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171a; --card: #1d2125; --ink: #e6e9ec; --soft: #a0a9b4; --line: #363d45;
    --good: #5fd08c; --bad: #ff8a80; --open: #f0bf4c; --code: #272c32; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.1rem; margin: 0; font-weight: 600; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .3rem; }
p { margin: .3rem 0; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: 1rem; margin: 1rem 0; overflow-x: auto; }
.verdict { font-size: 1.8rem; font-weight: 700; margin: .2rem 0 0; }
.score { font-size: 1.1rem; margin: 0; }
.soft { color: var(--soft); }
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.outcome { font-weight: 600; }
.problem + .problem { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 1rem; }
.next { border-left: .25rem solid var(--open); padding-left: .6rem; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .875rem; background: var(--code);
  border-radius: .3rem; }
code { padding: .1rem .3rem; }
pre { padding: .6rem; margin: .4rem 0; overflow: auto; max-height: 24rem; white-space: pre-wrap; }
summary { cursor: pointer; color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; max-width: 24rem;
  border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
details table { font-size: .875rem; }
th { color: var(--soft); font-weight: 500; }
tbody tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.profile h3 { margin-top: 1.2rem; }
.profile table { font-size: .875rem; }
.leading td { font-weight: 600; }
.roofline { width: 100%; max-width: 45rem; height: auto; font-size: 12px; }
.roofline text { fill: var(--soft); }
.roofline .grid { stroke: var(--line); }
.roofline .roof { stroke: var(--ink); stroke-width: 2; }
.roofline .layer { fill: var(--bad); }
@media (max-width: 40rem) {
  body { padding: .5rem; }
  thead { display: none; }
  table, tbody, tr, td { display: block; width: 100%; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  tr:last-child { border-bottom: 0; }
  td { border: 0; max-width: none; overflow-wrap: anywhere; padding: .1rem 0; display: flex; gap: 1rem; justify-content: space-between; }
  td:empty { display: none; }
  td::before { content: attr(data-label); color: var(--soft); flex: none; }
  td span { text-align: right; white-space: normal; }
}
@media print {
  body { max-width: none; }
  section { break-inside: avoid; }
  pre { max-height: none; }
}
)css";

}  // namespace opgrade::report
