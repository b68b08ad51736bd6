import assert from "node:assert/strict";

/**
 * Runs a check on every row of a table in one test. The test fails with the names and errors of all rows that fail,
 * so use this for rows that are values, and a test per row if each needs a sentence of its own.
 */
export async function checkRows<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  check: (row: Row) => unknown,
): Promise<void> {
  assert.notEqual(rows.length, 0, "the table has no rows");
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await check(row);
    } catch (error) {
      failures.push(`${nameOf(row)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (failures.length > 0) {
    assert.fail(`\n${failures.join("\n\n")}`);
  }
}
