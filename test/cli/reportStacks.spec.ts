import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMIT } from "../../cli/report/markdown";
import { temporaryFolder } from "../support/engineFakes";
import {
  A,
  B,
  group,
  line,
  numberAt,
  of,
  previewOf,
  run as runIn,
  type SyntheticStep,
  single,
  stackPreview,
  UNKNOWN,
} from "./reportSteps";

type Steps = readonly SyntheticStep[];
type More = Readonly<Record<string, unknown>>;
const NOTHING: Steps = [];

describe("a report on several stacks", () => {
  const folder = temporaryFolder();

  function put(file: string, text: string): string {
    writeFileSync(join(folder.path, file), text);
    return file;
  }

  /** Writes a preview file named after its stack. */
  const write = (stack: string, steps: Steps, more: More = {}): string =>
    put(`${stack}.json`, stackPreview(stack, steps, more));

  const run = (args: readonly string[]) => runIn(args, "", folder.path);

  const joins = (number: string) => single("create", "leeds", undefined, line(number, B));
  const leaves = (number: string, more: object = {}) => single("delete", "leeds", line(number, A), undefined, more);
  const kept = (name: string) => single("same", name, line("+7", A), line("+7", A));
  const shifts = group(
    "update",
    "front",
    of({ "a@1": 90, "a@2": 10 }, "+1", "+2"),
    of({ "a@1": 50, "a@2": 50 }, "+1", "+2"),
  );

  interface Json {
    readonly crossings: readonly { readonly numbers: readonly string[]; readonly isBlocking: boolean }[];
    readonly notCompared: readonly string[];
    readonly stacks: readonly {
      readonly stack: string;
      readonly hasFailed: boolean;
      readonly isUnchanged: boolean;
      readonly digest?: string;
      readonly requests: { readonly puts: number };
      readonly facts: readonly { readonly condition: string }[];
      readonly blocking: readonly { readonly gate: string }[];
    }[];
  }

  async function reviewed(...args: readonly string[]) {
    const { code, stdout } = await run([...args, "--json"]);
    const review = JSON.parse(stdout) as Json;
    return { code, review, names: review.stacks.map(({ stack }) => stack) };
  }

  const digestLines = (stdout: string) =>
    [...stdout.matchAll(/^reviewed-digest `(\S+)` `([\da-f]{12})`$/gm)].map(([, stack, digest]) => ({ stack, digest }));

  it("prints each stack's digest in one report", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts]), write("prod", [joins("+9")])];
    const { code, review } = await reviewed(...files);
    assert.equal(code, 0);
    assert.deepEqual(
      review.stacks.map(({ stack, requests }) => [stack, requests.puts]),
      [
        ["dev", 0],
        ["canary", 2],
        ["prod", 1],
      ],
    );
    const { stdout } = await run(files);
    assert.deepEqual(
      digestLines(stdout),
      review.stacks.map(({ stack, digest }) => ({ stack, digest })),
    );
  });

  it("checks the gates for each stack separately", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts])];
    const { code, review } = await reviewed(...files, "--fail-on", "shift=25");
    assert.equal(code, 1);
    assert.deepEqual(
      review.stacks.map(({ stack, blocking }) => [stack, ...blocking.map(({ gate }) => gate)]),
      [["dev"], ["canary", "shift=25"]],
    );
  });

  const scoped = (scope: string, number = "+7") => ({
    dev: [single("delete", "leeds", { ...line(number, A), [scope]: "one" })],
    prod: [single("create", "leeds", undefined, { ...line(number, B), [scope]: "two" })],
  });
  const replaced = group("replace", "emea", of(A, "+7", "+8", "+9"), of(A, "+9"));
  const joined = group("update", "all", of(B, "+1", "+7"), of(B, "+1", "+7", "+8"));
  const diagnostics = [{ severity: "warning", message: "warning: AGP-068 The guards are bypassed: move" }];
  /**
   * Each row has previews of two stacks, and the numbers that the report must list as moving or shared. The row's name
   * says whether the report blocks the change.
   */
  const crossings: Record<string, [{ dev: Steps; prod: Steps; more?: More; prodMore?: More }, ...numbers: string[]]> = {
    "blocks a number that moves between stacks": [{ dev: [leaves("+7")], prod: [joins("+7")] }, "+7"],
    "blocks numbers that move to a group in another stack": [
      { dev: [replaced], prod: [joined], more: { config: { "agent-platform:maxRemove": "2" } } },
      "+7",
      "+8",
    ],
    "blocks a move if the old stack's delete is still pending": [
      {
        dev: [group("delete-replaced", "emea", of(A, "+7", "+8")), group("same", "emea", of(A, "+8"), of(A, "+8"))],
        prod: [joins("+7")],
      },
      "+7",
    ],
    // A number in international format is unique, whatever the workspace or account.
    "blocks a number that moves to a different workspace": [scoped("workspaceId"), "+7"],
    "blocks a number that moves to a different account": [scoped("accountSid"), "+7"],
    "allows the same extension in two accounts": [scoped("accountSid", "101")],
    "allows a move if the old stack retains the number": [
      { dev: [leaves("+7", { retainOnDelete: true })], prod: [joins("+7")] },
    ],
    "allows a number to move to a different platform": [
      {
        dev: [leaves("+7")],
        prod: [single("create", "leeds", undefined, { ...line("+7", B), endpoint: "https://staging.example" })],
      },
    ],
    "reports but allows a move if the old stack bypasses its guards": [
      { dev: [leaves("+7")], prod: [joins("+7")], more: { diagnostics } },
      "+7",
    ],
    "blocks a number that two stacks would share": [{ dev: [kept("leeds")], prod: [joins("+7")] }, "+7"],
    "blocks a shared number if only one stack bypasses its guards": [
      { dev: [kept("leeds")], prod: [joins("+7")], more: { diagnostics } },
      "+7",
    ],
    "reports but allows a shared number if both stacks bypass their guards": [
      { dev: [kept("leeds")], prod: [joins("+7")], more: { diagnostics }, prodMore: { diagnostics } },
      "+7",
    ],
    // The report must not block the change that ends the sharing.
    "allows a number that two stacks already share": [{ dev: [kept("a")], prod: [kept("b"), shifts] }],
    "allows renaming a number that two stacks already share": [
      {
        dev: [single("delete", "a", line("+7", A)), single("create", "c", undefined, line("+7", A))],
        prod: [kept("b")],
      },
    ],
  };
  for (const [name, [{ dev, prod, more, prodMore }, ...numbers]] of Object.entries(crossings)) {
    it(name, async () => {
      const { code, review } = await reviewed(write("dev", dev, more), write("prod", prod, prodMore));
      const isBlocking = name.startsWith("blocks");
      assert.equal(code, isBlocking ? 1 : 0);
      assert.deepEqual(
        review.crossings.map((crossing) => ({ numbers: crossing.numbers, isBlocking: crossing.isBlocking })),
        numbers.length === 0 ? [] : [{ numbers, isBlocking }],
      );
    });
  }

  it("passes the gates if a moved number keeps its split", async () => {
    const files = [
      write("dev", [leaves("+7", { retainOnDelete: true })]),
      write("prod", [single("create", "leeds", undefined, line("+7", A))]),
    ];
    const { code, review } = await reviewed(...files, "--fail-on", "create,delete,replace,shift=25,sms");
    assert.equal(code, 0);
    assert.deepEqual(
      review.stacks.map(({ stack, requests, facts }) => ({ stack, puts: requests.puts, facts: facts.length })),
      [
        { stack: "dev", puts: 0, facts: 0 },
        { stack: "prod", puts: 1, facts: 0 },
      ],
    );
  });

  it("computes a moved number's shift from its split in the old stack", async () => {
    const files = [write("dev", [leaves("+7", { retainOnDelete: true })]), write("prod", [joins("+7")])];
    const { code, review } = await reviewed(...files, "--fail-on", "shift=25");
    assert.equal(code, 1);
    assert.deepEqual(
      review.stacks.map(({ facts }) => facts.map(({ condition }) => condition)),
      [[], ["shift"]],
    );
  });

  it("reports a moved number as new if the old stack's preview failed", async () => {
    const refused = { diagnostics: [{ severity: "error", message: "error: AGP-023 no" }] };
    const files = [write("dev", [leaves("+7", { retainOnDelete: true })], refused), write("prod", [joins("+7")])];
    const { review } = await reviewed(...files);
    assert.deepEqual(
      review.stacks[1]?.facts.map(({ condition }) => condition),
      ["create"],
    );
  });

  it("blocks a move regardless of file order", async () => {
    const { code } = await reviewed(write("prod", [joins("+7")]), write("dev", [leaves("+7")]));
    assert.equal(code, 1);
  });

  it("reports moves in opposite directions separately", async () => {
    const { review } = await reviewed(
      write("dev", [leaves("+7"), single("create", "b", undefined, line("+8", B))]),
      write("prod", [joins("+7"), single("delete", "b", line("+8", A))]),
    );
    assert.deepEqual(
      review.crossings.map(({ numbers }) => numbers),
      [["+7"], ["+8"]],
    );
  });

  it("reports a number shared by three stacks only once", async () => {
    const files = [write("dev", [joins("+7")]), write("canary", [kept("leeds")]), write("prod", [joins("+7")])];
    const { review } = await reviewed(...files);
    assert.deepEqual(
      review.crossings.map(({ numbers }) => numbers),
      [["+7"]],
    );
  });

  it("lists the stacks whose numbers cannot be compared", async () => {
    const files = [
      write("dev", [leaves("+7")], { changeSummary: { same: 4 } }),
      write("canary", NOTHING),
      write("prod", [single("create", "late", undefined, line(String(UNKNOWN), A))]),
    ];
    assert.deepEqual((await reviewed(...files)).review.notCompared, ["dev", "prod"]);
  });

  it("lists the stacks whose numbers cannot be compared if the only change hides its numbers", async () => {
    const hidden = line(String(UNKNOWN), A);
    for (const changed of [
      single("create", "late", undefined, hidden),
      single("update", "late", line("+7", A), hidden),
    ]) {
      const files = [write("dev", NOTHING, { changeSummary: { same: 4 } }), write("prod", [changed])];
      assert.deepEqual((await reviewed(...files)).review.notCompared, ["dev", "prod"]);
    }
  });

  const refusal023 = { diagnostics: [{ severity: "error", message: "error: AGP-023 no" }] };

  it("reports on the other stacks if one stack's preview failed", async () => {
    const files = [write("dev", [leaves("+7")]), write("canary", NOTHING, refusal023), write("prod", [joins("+8")])];
    const { code, review } = await reviewed(...files);
    assert.equal(code, 1);
    assert.deepEqual(
      review.stacks.map(({ stack, hasFailed, digest }) => ({ stack, hasFailed, hasDigest: digest !== undefined })),
      [
        { stack: "dev", hasFailed: false, hasDigest: true },
        { stack: "canary", hasFailed: true, hasDigest: false },
        { stack: "prod", hasFailed: false, hasDigest: true },
      ],
    );
    assert.deepEqual(review.notCompared, ["canary"]);
  });

  it("reads the stack name from the file name if the preview has no steps", async () => {
    const early = put("preview.canary.json", previewOf([], refusal023));
    assert.deepEqual((await reviewed(write("dev", NOTHING), early)).names, ["dev", "canary"]);
  });

  it("exits with 0 if no stack has changes", async () => {
    const { code, review } = await reviewed(write("dev", NOTHING), write("prod", NOTHING));
    assert.equal(code, 0);
    assert.deepEqual(
      review.stacks.map(({ isUnchanged }) => isUnchanged),
      [true, true],
    );
  });

  it("escapes HTML and Markdown in names", async () => {
    const evil = "|</summary></details><script>x</script> [a](https://evil.example) **b** @team";
    const agents = { [`a${evil.replaceAll("@", "")}@1`]: 100 };
    // A guard refuses the move of +8. Its message shows the agents' names as plain text instead of code.
    const prod = [
      single("create", evil, undefined, line("+7", agents)),
      single("create", "leeds", undefined, line("+8", agents)),
    ];
    const { stdout } = await run([
      write("dev", [single("delete", evil, line("+7", A)), leaves("+8", { retainOnDelete: true })]),
      write("prod", prod, { config: { "agent-platform:maxShift": "25" } }),
    ]);
    assert.match(stdout, /AGP-021/);
    const outsideCode = stdout.replace(/(?<!\\)(`+)[^`\n]*\1/g, "");
    assert.doesNotMatch(outsideCode, /[^\\](<script|\*\*b|\]\(https)|@team/);
  });

  const refused: Record<string, () => readonly string[]> = {
    "two previews of the same stack": () => [put("again.json", previewOf([shifts]))],
    "previews of different projects": () => [
      put("billing.json", stackPreview("prod", [shifts]).replaceAll("::test::", "::billing::")),
    ],
    "a file that is not a preview": () => [put("log.json", "Previewing update (prod)")],
    "--expect for several stacks": () => [write("prod", NOTHING), "--expect", "e3b0c44298fc"],
  };
  for (const [name, args] of Object.entries(refused)) {
    it(`rejects ${name}`, async () => {
      const { code, stdout } = await run([write("dev", NOTHING), ...args(), "--output", "refused.md"]);
      assert.equal(code, 2, stdout);
      assert.equal(existsSync(join(folder.path, "refused.md")), false, "a report was written");
    });
  }

  const names = Array.from({ length: 20 }, (_, index) => `stack-${index}`);

  it("stays below the report size limit if twenty stacks exchange numbers", async () => {
    const moving = (from: number, to: number) => line(numberAt(from * names.length + to), A);
    const files = names.map((name, index) =>
      write(
        name,
        names.flatMap((_, other) =>
          other === index
            ? []
            : [
                single("delete", `to-${other}`, moving(index, other)),
                single("create", `from-${other}`, undefined, moving(other, index)),
              ],
        ),
      ),
    );
    const { code, stdout } = await run(files);
    assert.equal(code, 1);
    assert.ok(stdout.length < LIMIT, String(stdout.length));
    assert.deepEqual(
      digestLines(stdout).map(({ stack }) => stack),
      names,
    );
  });
});
