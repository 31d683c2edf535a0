// SPDX-License-Identifier: Apache-2.0
// The style sheet of the pages.
#pragma once

#include <string_view>

namespace storage_probe::http {

// Inline, as the page is one request. The policy names it by the hash below; its test says what to
// write there after a change.
inline constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#1b2026;--dim:#5b6570;--line:#dde1e6;--link:#0b5cad;
--ok:#0f6b3a;--ok-bg:#dff3e7;--warn:#7a4d00;--warn-bg:#fcefcf;--bad:#a3161b;--bad-bg:#fde4e4}
@media(prefers-color-scheme:dark){:root{--bg:#12161b;--card:#1a2027;--text:#e4e8ec;--dim:#98a3ae;--line:#2d353e;--link:#79b8f5;
--ok:#7fdca4;--ok-bg:#143423;--warn:#f2c76b;--warn-bg:#3a2c0b;--bad:#ff9c9c;--bad-bg:#431a1c}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.45 system-ui,sans-serif}
header,main{max-width:64rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;padding-top:1.25rem}
h1{font-size:1.3rem;margin:0}
h1 small,.dim{color:var(--dim);font-weight:400}
nav{margin-left:auto}
nav a{margin-left:1rem}
a{color:var(--link)}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.85rem 1rem}
h2{font-size:1.05rem;margin:0;display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;overflow-wrap:anywhere}
section p{margin:.25rem 0 0;overflow-wrap:anywhere}
code{font:.92em ui-monospace,monospace}
b{font-weight:600}
.s{font-size:.78rem;font-weight:600;padding:.1rem .55rem;border-radius:1rem;color:var(--warn);background:var(--warn-bg);white-space:nowrap}
.ok{color:var(--ok);background:var(--ok-bg)}
.bad{color:var(--bad);background:var(--bad-bg)}
.m{border-left:3px solid var(--bad);padding-left:.6rem}
table{width:100%;table-layout:fixed;border-collapse:collapse;margin-top:.6rem;font-variant-numeric:tabular-nums}
th{font-size:.78rem;color:var(--dim);font-weight:500}
th,td{text-align:right;padding:.3rem 0 .3rem .9rem;border-top:1px solid var(--line);vertical-align:top;white-space:nowrap}
thead th{border:0;padding-top:0}
th:first-child,td:first-child{text-align:left;padding-left:0;overflow-wrap:anywhere;white-space:normal}
th:first-child{width:14%}
th:nth-child(3),th:nth-child(6){width:18%}
td i{color:var(--dim);font-style:normal;font-size:.85em}
.u{display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;color:var(--dim);font-size:.88rem}
progress{width:5rem;height:.5rem;accent-color:var(--link);vertical-align:middle}
@media(max-width:44rem){
table,tbody{display:block}
thead{display:none}
tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(13rem,100%),1fr));gap:.1rem 1.25rem;border-top:1px solid var(--line);padding:.5rem 0}
td{border:0;padding:0!important;display:flex;justify-content:space-between;gap:.5rem}
td:first-child{grid-column:1/-1;font-weight:600}
td[data-l]::before{content:attr(data-l);color:var(--dim)}
nav{margin-left:0}nav a{margin:0 1rem 0 0}}
)css";

inline constexpr std::string_view kStyleHash =
    "sha256-zx9x52R4pI+tOxq6qnclYwJo7lCKvU8dwh2E6WXPHIU=";

}  // namespace storage_probe::http
