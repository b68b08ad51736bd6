import assert from "node:assert/strict";

/**
 * Checks all rows in one test, and lists those that fail. If each row needs its own title, write a test for each row
 * instead.
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
