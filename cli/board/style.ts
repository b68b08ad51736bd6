/** The look of the page: light and dark, on a screen and on paper. It loads no font and no picture. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --ground: #f6f8fa; --candidate: #0b6bcb; --link: #0a5cb0; --bad: #b42318; --wait: #8a5a00; --good: #1a7f37; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6edf3; --soft: #9aa7b5; --line: #3d444d; --paper: #161b22; --ground: #0d1117; --candidate: #4b9fff; --link: #6cb1ff; --bad: #ff7b72; --wait: #d9a43b; --good: #57c06d; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 22px; line-height: 1.3; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 34px 0 10px; scroll-margin-top: 8px; }
h3 { font-size: 15px; margin: 0; overflow-wrap: anywhere; }
p { margin: 0 0 8px; }
a { color: var(--link); }
small, .soft { color: var(--soft); font-size: 13px; }
code { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 14px 16px; margin: 10px 0; }
.card.bad { border-left: 4px solid var(--bad); color: inherit; }
.card p:last-child { margin-bottom: 0; }
.bad { color: var(--bad); } .wait { color: var(--wait); } .good { color: var(--good); }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tbody tr:last-child > * { border-bottom: 0; }
.wide { overflow-x: auto; }
:focus-visible { outline: 2px solid var(--candidate); outline-offset: 2px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.sections { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0; padding: 0; }
.stages { list-style: none; margin: 6px 0 0; padding: 0; }
.stages > li { display: grid; grid-template-columns: 110px minmax(200px, 1.3fr) minmax(150px, 1fr) minmax(150px, 1fr); gap: 6px 18px; padding: 10px 0; border-top: 1px solid var(--line); }
.stages > li > div { min-width: 0; overflow-wrap: anywhere; }
.stages + p { border-top: 1px solid var(--line); padding-top: 8px; }
.stages meter { width: 100%; max-width: 240px; margin: 5px 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.steps { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 6px 0 0; padding: 0; }
.steps li { font-size: 12px; line-height: 18px; padding: 0 8px; border-radius: 10px; border: 1px solid var(--line); color: var(--soft); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.steps .now { border-color: var(--candidate); color: var(--candidate); font-weight: 600; }
.changes { table-layout: fixed; min-width: 940px; }
.changes th:nth-child(1) { width: 15%; } .changes th:nth-child(2) { width: 9%; } .changes th:nth-child(3) { width: 17%; } .changes th:nth-child(4) { width: 15%; } .changes th:nth-child(5) { width: 10%; } .changes th:nth-child(6) { width: 20%; } .changes th:nth-child(7) { width: 14%; }
.changes td:first-child, .changes strong { white-space: nowrap; }
.numbers { table-layout: fixed; min-width: 760px; }
.numbers th:nth-child(1) { width: 14%; } .numbers th:nth-child(2) { width: 15%; } .numbers th:nth-child(3) { width: 9%; } .numbers th:nth-child(4) { width: 34%; } .numbers th:nth-child(5) { width: 13%; } .numbers th:nth-child(6) { width: 15%; }
.numbers th[scope=row] { font-weight: 400; color: inherit; }
@media (max-width: 760px) { .stages > li { grid-template-columns: 1fr; } }
@media print {
:root { color-scheme: light; --ink: #000000; --soft: #444444; --line: #bbbbbb; --paper: #ffffff; --ground: #ffffff; --candidate: #0b6bcb; --link: #000000; --bad: #b42318; --wait: #8a5a00; --good: #1a7f37; }
body { font-size: 11px; }
code, small, .soft, th { font-size: 10px; }
main { max-width: none; padding: 0; }
.wide { overflow: visible; }
nav { display: none; }
.changes, .numbers { min-width: 0; }
.stages > li { grid-template-columns: 80px 1.3fr 1fr 1fr; }
h2, thead { break-after: avoid; }
.card.bad, .stages > li, tr { break-inside: avoid; }
}
`;
