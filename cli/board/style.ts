/** The rules of the page of stacks alone. */
export const BOARD_STYLE = `
.sections { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 0; padding: 0; }
.stages { list-style: none; margin: 6px 0 0; padding: 0; }
.stages > li { display: grid; grid-template-columns: 110px minmax(200px, 1.3fr) minmax(150px, 1fr) minmax(150px, 1fr); gap: 6px 18px; padding: 10px 0; border-top: 1px solid var(--line); }
.stages > li > div { min-width: 0; overflow-wrap: anywhere; }
.stages + p { border-top: 1px solid var(--line); padding-top: 8px; }
.stages meter { width: 100%; max-width: 240px; margin: 5px 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.steps { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; margin: 6px 0 0; padding: 0; }
.steps li { font-size: 12px; line-height: 18px; padding: 0 8px; border-radius: 10px; border: 1px solid var(--line); color: var(--soft); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.steps .done { background: var(--candidate); border-color: var(--candidate); color: var(--paper); }
.steps .now { border-color: var(--candidate); color: var(--candidate); font-weight: 600; }
.changes { table-layout: fixed; min-width: 940px; }
.changes th:nth-child(1) { width: 15%; } .changes th:nth-child(2) { width: 9%; } .changes th:nth-child(3) { width: 17%; } .changes th:nth-child(4) { width: 15%; } .changes th:nth-child(5) { width: 10%; } .changes th:nth-child(6) { width: 20%; } .changes th:nth-child(7) { width: 14%; }
.changes td:first-child, .changes strong { white-space: nowrap; }
.numbers { table-layout: fixed; }
.part { min-width: 760px; }
.part + .part { content-visibility: auto; contain-intrinsic-size: auto 10000px; }
.numbers th:nth-child(1) { width: 14%; } .numbers th:nth-child(2) { width: 15%; } .numbers th:nth-child(3) { width: 9%; } .numbers th:nth-child(4) { width: 34%; } .numbers th:nth-child(5) { width: 13%; } .numbers th:nth-child(6) { width: 15%; }
.numbers th[scope=row] { font-weight: 400; color: inherit; }
.numbers .again th { padding: 0; border: 0; line-height: 0; }
.numbers .again { border-top: 1px solid var(--line); }
#find { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: 6px; padding: 6px 10px; width: 320px; max-width: 100%; }
#found { color: var(--soft); margin-left: 8px; }
@media (max-width: 760px) { .stages > li { grid-template-columns: 1fr; } }
@media print {
nav, #filter { display: none !important; }
.changes, .part, .part + .part { min-width: 0; content-visibility: visible; }
.stages > li { grid-template-columns: 80px 1.3fr 1fr 1fr; }
h2, thead { break-after: avoid; }
.stages > li, tr { break-inside: avoid; }
}
`;
