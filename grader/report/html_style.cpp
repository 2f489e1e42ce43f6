#include "grader/report/html_style.hpp"

namespace opgrade::report {

const char* const kHtmlStyle = R"css(
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --ink: #1c2024; --soft: #5b6470;
  --line: #d9dee5; --good: #116b3a; --bad: #b3261e; --open: #805500; --code: #f0f2f5;
  --link: #0b57d0; --button: #0b57d0; --here: #ffe39a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171a; --card: #1d2125; --ink: #e6e9ec; --soft: #a0a9b4; --line: #363d45;
    --good: #5fd08c; --bad: #ff8a80; --open: #f0bf4c; --code: #272c32;
    --link: #8ab4f8; --here: #5c4700; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 1rem 0 .5rem; }
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
.source td { padding: 0 .5rem; border: 0; max-width: none; }
.source code { padding: 0; white-space: pre; background: none; }
.heat { text-align: right; white-space: nowrap; }
.heat1 { background: #e6501e22; } .heat2 { background: #e6501e55; }
.heat3 { background: #e6501e88; } .heat4 { background: #e6501ecc; }
th { color: var(--soft); font-weight: 500; }
tbody tr:last-child td { border-bottom: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.profile h3 { margin-top: 1.2rem; }
.profile table { font-size: .875rem; }
.leading td { font-weight: 600; }
figure { margin: .6rem 0; }
figcaption { font-weight: 600; }
.plot { display: block; width: 100%; max-width: 32rem; height: auto; font-size: 12px; }
.plot text { fill: var(--soft); }
.plot polyline { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.plot .grid { stroke: var(--line); }
.plot .level { stroke: var(--open); stroke-dasharray: 4 3; }
.plot .roof { stroke: var(--ink); stroke-width: 2; }
.plot .dot { fill: var(--link); }
.plot .marked { fill: var(--bad); stroke: var(--card); stroke-width: 1.5; }
.plot .span { stroke: var(--soft); stroke-width: 5; stroke-opacity: .5; }
.plot .heat { fill: var(--bad); }
.plot .cold { fill: none; stroke: var(--line); }
.plot .failed { stroke: var(--bad); stroke-width: 2; }
.source ol { margin: .3rem 0; padding: .4rem .4rem .4rem 3.2rem; background: var(--code);
  border-radius: .3rem; overflow-x: auto; white-space: pre; font: .875rem/1.5 ui-monospace, monospace; }
.source li::marker { color: var(--soft); }
.source code { padding: 0; }
.source ul { list-style: none; margin: .3rem 0; padding: .4rem; background: var(--code);
  border-radius: .3rem; overflow-x: auto; white-space: pre; font: .875rem/1.5 ui-monospace, monospace; }
.source del, .source ins { text-decoration: none; display: block; }
.source del { color: var(--bad); }
.source ins { color: var(--good); }
.source p { white-space: normal; }
.words { white-space: pre-wrap; }
.source mark { font: inherit; color: var(--ink); background: var(--here); display: block; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: center; }
header .course { font-weight: 700; text-decoration: none; color: var(--ink); }
nav { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
header nav { margin-left: auto; }
a { color: var(--link); }
.skip { position: absolute; left: -100rem; }
.skip:focus { position: static; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
form { margin: .3rem 0; }
label { display: block; margin: .5rem 0; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; }
input, select, textarea { display: block; font: inherit; padding: .4rem; max-width: 100%;
  width: 26rem; color: var(--ink); background: var(--page); border: 1px solid var(--soft);
  border-radius: .3rem; }
.buttons input, .buttons select { width: 11rem; }
input[type=checkbox] { width: 1.2rem; height: 1.2rem; display: inline-block; }
button { font: inherit; padding: .45rem 1rem; border: 0; border-radius: .3rem; cursor: pointer;
  background: var(--button); color: #fff; }
button:disabled { opacity: .5; cursor: default; }
nav button, button.quiet { background: none; color: var(--ink); border: 1px solid var(--soft); }
.own td { font-weight: 700; background: var(--code); }
.notice { border-left: .25rem solid var(--bad); padding-left: .6rem; }
.drop { border: 2px dashed var(--soft); border-radius: .5rem; padding: 1rem; }
.drop input { width: 100%; padding: 1.5rem .5rem; }
.drop button { margin: .5rem .6rem 0 0; }
.said { border-left: .25rem solid var(--line); padding-left: .6rem; margin: .6rem 0; }
#log span { margin-left: .6rem; }
@media (max-width: 48rem) {
  body { padding: .5rem; }
  thead { display: none; }
  table, tbody, tr, td { display: block; width: 100%; }
  tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  tr:last-child { border-bottom: 0; }
  td { border: 0; max-width: none; overflow-wrap: anywhere; padding: .1rem 0; display: flex; gap: 1rem; justify-content: space-between; }
  td:empty, td:has(span:empty) { display: none; }
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
