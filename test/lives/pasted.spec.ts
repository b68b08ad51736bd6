import { describe, it } from "mocha";
import type { Life } from "./life";
import { runLife } from "./random";

/** Lives that once violated an invariant, pasted from the output of a failed test. */
const LIVES: Readonly<Record<string, Life>> = {
  "a failed move of a number is reverted": [
    { program: [{ kind: "single", name: "x", numbers: [1], routing: "hook" }] },
    { program: [{ kind: "group", name: "y", numbers: [1, 2] }], rejects: "y", isInline: true },
    { program: [{ kind: "single", name: "x", numbers: [1], routing: "hook" }] },
  ],
  "the only resource in an inline program depends on a failing output": [
    { program: [{ kind: "single", name: "x", numbers: [1], routing: "hook" }] },
    { program: [{ kind: "single", name: "x", numbers: [1], routing: "hook" }], rejects: "x", isInline: true },
  ],
  "a number's move is reverted after a lost response": [
    { program: [{ kind: "single", name: "x", numbers: [1] }] },
    {
      program: [{ kind: "single", name: "y", numbers: [1], routing: "hook" }],
      fault: { at: "request", index: 0, kind: "lostAfter" },
    },
    { program: [{ kind: "single", name: "x", numbers: [1] }] },
  ],
  "the platform rejects a number that left its group": [
    { program: [{ kind: "group", name: "x", numbers: [1, 2] }] },
    {
      program: [
        { kind: "group", name: "x", numbers: [2] },
        { kind: "single", name: "y", numbers: [1], routing: "b" },
      ],
      continueOnError: true,
      fault: { at: "request", index: 0, kind: "refused" },
    },
  ],
  "a new number is rejected while other resources are removed": [
    {
      program: [
        { kind: "single", name: "x", numbers: [1] },
        { kind: "chat", name: "c" },
      ],
    },
    {
      program: [{ kind: "single", name: "y", numbers: [2], routing: "b" }],
      continueOnError: true,
      fault: { at: "request", index: 0, kind: "refused" },
    },
  ],
  "the response is lost while a number returns to its group": [
    { program: [{ kind: "group", name: "x", numbers: [3, 1], routing: "hook" }] },
    {
      program: [
        { kind: "group", name: "x", numbers: [4], routing: "a" },
        { kind: "single", name: "z", numbers: [1], routing: "a" },
      ],
      rejects: "z",
    },
    {
      program: [{ kind: "group", name: "x", numbers: [3, 4], routing: "a" }],
      fault: { at: "request", index: 0, kind: "lostAfter" },
    },
  ],
  "removing two numbers exceeds the default maxRemove": [
    {
      program: [
        { kind: "group", name: "x", numbers: [1, 2] },
        { kind: "chat", name: "c" },
      ],
    },
    { program: [{ kind: "chat", name: "c" }], guards: { maxRemove: null } },
  ],
  "a program fails to register a renamed voice": [
    { program: [{ kind: "voice", name: "x", key: "2" }] },
    { program: [{ kind: "voice", name: "z", key: "2", was: "x" }], rejects: "z", isInline: true },
  ],
};

describe("a simulated stack", () => {
  for (const [title, life] of Object.entries(LIVES)) {
    it(`maintains all invariants if ${title}`, () => runLife(life));
  }
});
