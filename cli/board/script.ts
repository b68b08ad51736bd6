/** The filter of the numbers. It sends no request, and writes no markup. */
export const SCRIPT = `
(() => {
  "use strict";
  const field = document.getElementById("find");
  const found = document.getElementById("found");
  const parts = Array.from(document.querySelectorAll(".part"), (part) => ({
    part,
    rows: Array.from(part.firstChild.tBodies[0].rows, (row) => ({ row, text: row.textContent.toLowerCase() })),
  }));
  const all = parts.reduce((sum, { rows }) => sum + rows.length, 0);
  const counted = (count) => count.toLocaleString("en") + (count === 1 ? " number" : " numbers");
  const filter = () => {
    const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const { part, rows } of parts) {
      let inPart = 0;
      for (const { row, text } of rows) {
        const isFound = words.every((word) => text.includes(word));
        row.hidden = !isFound;
        inPart += isFound ? 1 : 0;
      }
      part.hidden = inPart === 0;
      shown += inPart;
    }
    found.textContent = words.length === 0 ? counted(all) : counted(shown) + " of " + all.toLocaleString("en");
  };
  field.addEventListener("input", filter);
  document.getElementById("filter").hidden = all === 0;
  // A browser that goes back fills the field again.
  if (field.value !== "") filter();
})();
`;
