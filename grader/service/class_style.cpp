#include "grader/service/class_grades.hpp"

namespace opgrade::service {

// A table of many columns needs the width that a text must not have.
const char* const kClassStyle = R"css(
@media (min-width: 48.01rem) {
  body:has(.gradebook) { max-width: none; }
  .gradebook { overflow: auto; max-height: 85vh; }
  .gradebook thead { position: sticky; top: 0; z-index: 2; background: var(--card); }
  .gradebook tr > :first-child { position: sticky; left: 0; background: var(--card); z-index: 1;
    min-width: 14rem; }
}
.gradebook table { width: auto; }
.gradebook td { position: relative; white-space: nowrap; }
.gradebook td a { color: var(--ink); }
.gradebook svg { display: block; fill: var(--soft); }
.gradebook .share0 { background: #c81e1e2b; } .gradebook .share1 { background: #dc820026; }
.gradebook .share2 { background: #c8b40022; } .gradebook .share3 { background: #5aaa2822; }
.gradebook .share4 { background: #008c3c2e; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }
)css";

}  // namespace opgrade::service
