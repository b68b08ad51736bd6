import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { OPERATIONS, operationText } from "../../provider/client/calls";
import { need } from "../../tools/reference/declarations";
import { interfaceSection } from "../support/interfaceSection";

const fieldsIn = (number: string): string[] =>
  [...interfaceSection(number).matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, field = ""]) => field),
  );

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe("docs/interface.md", () => {
  it("has the method and path of every operation in its section", () => {
    for (const operation of Object.values(OPERATIONS)) {
      assert.ok(
        interfaceSection(operation.section).includes(`\`${operationText(operation)}\``),
        operationText(operation),
      );
    }
  });

  // What a request and a record of a number have, test/core/fields.spec.ts holds.
  for (const [kind, numbers] of Object.entries({ CommunityVoice: ["4.3", "2.5"], SmsChat: ["4.2", "2.4"] })) {
    it(`has no field in a section of ${kind} that is neither an argument nor an output`, () => {
      const known = [...need(`${kind}Args`).members, ...need(kind).members].map(({ name }) => name);
      const missing = numbers.flatMap(fieldsIn).filter((field) => !known.includes(camel(field)));
      assert.deepEqual(missing, []);
    });
  }
});
