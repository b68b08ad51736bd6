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
  UNKNOWN,
} from "./reportSteps";
import { refusal } from "./terminal";

type Steps = readonly SyntheticStep[];
type More = Readonly<Record<string, unknown>>;
const NOTHING: Steps = [];

/** Several previews of one project, each of another stack. */
describe("agent-platform report over several stacks", () => {
  const folder = temporaryFolder();

  function put(file: string, text: string): string {
    writeFileSync(join(folder.path, file), text);
    return file;
  }

  /** The files are named as their stacks. */
  function write(stack: string, steps: Steps, more: More = {}): string {
    const withStack = JSON.parse(previewOf(steps, more)) as { steps: object[] };
    const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
    const same = { op: "same", urn, newState: { urn, type: "pulumi:pulumi:Stack" } };
    const text = JSON.stringify({ ...withStack, steps: [same, ...withStack.steps] });
    return put(`${stack}.json`, text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`));
  }

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
    readonly crossings: readonly { readonly title: string; readonly notes: string[]; readonly isBlocking: boolean }[];
    readonly notCompared: readonly string[];
    readonly stacks: readonly { readonly stack: string }[];
  }

  async function reviewed(...files: readonly string[]) {
    const { code, stdout, stderr } = await run([...files, "--json"]);
    const review = JSON.parse(stdout) as Json;
    return { code, stderr, review, names: review.stacks.map(({ stack }) => stack) };
  }

  it("is one comment with the report of each stack, and its digest", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts]), write("prod", [joins("+9")])];
    const { code, stdout, stderr } = await run(files);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n").filter((text) => /^<!--|^###|^On merge|^reviewed/.test(text));
    assert.deepEqual(
      lines.map((text) => text.replace(/`[\da-f]{12}`/, "…")),
      [
        "<!-- agent-platform-report test -->",
        "### `dev`: No change to agents, voices or chats",
        "On merge: 0 PUTs. This preview sent nothing.<br>",
        "reviewed-digest `dev` …",
        "### `canary`: Traffic on 2 numbers (`front`): `a@2` 10 % → 50 %",
        "On merge: 2 PUTs. This preview sent nothing.<br>",
        "reviewed-digest `canary` …",
        "### `prod`: First assignment overwrites `+9` (`leeds`) with `agent_b@9` 100 %",
        "On merge: 1 PUT. This preview sent nothing.<br>",
        "reviewed-digest `prod` …",
      ],
    );
  });

  it("judges the gates of each stack, and names it", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts])];
    const { code, stdout, stderr } = await run([...files, "--fail-on", "shift=25"]);
    assert.equal(code, 1);
    assert.equal(stderr, "pulumi-agent-platform report: canary: shift=25: 2 numbers (front): 40 percentage points\n");
    assert.match(stdout, /^⛔ CI gate `shift=25` blocks: 2 numbers \(`front`\): 40 percentage points\./m);
  });

  const moved = "+7 would lose its agents: leaving dev, declared by prod";
  const twice = "+7: declared by the stacks dev, prod";
  const scoped = (scope: string, number = "+7") => ({
    dev: [single("delete", "leeds", { ...line(number, A), [scope]: "one" })],
    prod: [single("create", "leeds", undefined, { ...line(number, B), [scope]: "two" })],
  });
  const replaced = group("replace", "emea", of(A, "+7", "+8", "+9"), of(A, "+9"));
  const joined = group("update", "all", of(B, "+1", "+7"), of(B, "+1", "+7", "+8"));
  const diagnostics = [{ severity: "warning", message: "warning: AGP-068 The guards are bypassed: move" }];
  /** Of two stacks, what their changes do to each other: nothing, or a first line that blocks if it begins with ❌. */
  const crossings: Record<string, [{ dev: Steps; prod: Steps; more?: More }, headline?: string]> = {
    "is blocked: a number that leaves one stack and joins another": [
      { dev: [leaves("+7")], prod: [joins("+7")] },
      `❌ ${moved}`,
    ],
    "is blocked: numbers that leave a group for another stack's": [
      { dev: [replaced], prod: [joined], more: { config: { "agent-platform:maxRemove": "2" } } },
      "❌ 2 numbers would lose their agents: leaving dev, declared by prod",
    ],
    "is blocked: a number that only an earlier run's delete gives up": [
      {
        dev: [group("delete-replaced", "emea", of(A, "+7", "+8")), group("same", "emea", of(A, "+8"), of(A, "+8"))],
        prod: [joins("+7")],
      },
      `❌ ${moved}`,
    ],
    // In international format a number exists once.
    "is blocked: in two workspaces": [scoped("workspaceId"), `❌ ${moved}`],
    "is blocked: in two accounts": [scoped("accountSid"), `❌ ${moved}`],
    "passes: an extension of two accounts": [scoped("accountSid", "101")],
    "passes: a number that the first stack only forgets": [
      { dev: [leaves("+7", { retainOnDelete: true })], prod: [joins("+7")] },
    ],
    "passes: a number that the second one has at another platform": [
      {
        dev: [leaves("+7")],
        prod: [single("create", "leeds", undefined, { ...line("+7", B), endpoint: "https://staging.example" })],
      },
    ],
    "is shown and passes: the guards of the clearing stack are bypassed": [
      { dev: [leaves("+7")], prod: [joins("+7")], more: { diagnostics } },
      `⚠ ${moved}`,
    ],
    "is blocked: a number that joins a second stack": [{ dev: [kept("leeds")], prod: [joins("+7")] }, `❌ ${twice}`],
    // The way out must not be blocked.
    "passes: a number that two stacks declared before": [{ dev: [kept("a")], prod: [kept("b"), shifts] }],
    "passes: the same, under a new name in one of them": [
      {
        dev: [single("delete", "a", line("+7", A)), single("create", "c", undefined, line("+7", A))],
        prod: [kept("b")],
      },
    ],
  };
  for (const [what, [{ dev, prod, more }, headline]] of Object.entries(crossings)) {
    it(what, async () => {
      const { code, stderr, review } = await reviewed(write("dev", dev, more), write("prod", prod));
      const isBlocking = headline?.startsWith("❌") ?? false;
      assert.deepEqual(
        [code, stderr],
        isBlocking ? [1, `pulumi-agent-platform report: ${headline?.slice(2)}\n`] : [0, ""],
      );
      const said = review.crossings.map(({ title, isBlocking: blocks }) => `${blocks ? "❌" : "⚠"} ${title}`);
      assert.deepEqual(said, headline === undefined ? [] : [headline]);
    });
  }

  it("blocks a move in either order, and says how to move", async () => {
    const files = [write("prod", [joins("+7")]), write("dev", [leaves("+7")])];
    const { code, review } = await reviewed(...files);
    assert.equal(code, 1);
    assert.deepEqual(review.crossings[0]?.notes, [
      "Two deployments know nothing of each other: dev clears what prod declares. If prod is deployed before, or does not change, nobody assigns it again.",
      "Without a gap: set retainOnDelete: true on leeds in dev, deploy that, then merge this change. Take the option away afterwards: with it, numbers that leave keep their agents.",
    ]);
  });

  it("names each pair of stacks between which a number moves first", async () => {
    const { stdout } = await run([
      write("dev", [leaves("+7"), single("create", "b", undefined, line("+8", B))]),
      write("prod", [joins("+7"), single("delete", "b", line("+8", A))]),
    ]);
    const heads = stdout.split("\n").filter((text) => text.startsWith("### "));
    assert.deepEqual(heads.slice(0, 2), [
      "### ❌ `+7` would lose its agents: leaving `dev`, declared by `prod`",
      "### ❌ `+8` would lose its agents: leaving `prod`, declared by `dev`",
    ]);
  });

  it("tells of a number once for all stacks that declare it", async () => {
    const files = [write("dev", [joins("+7")]), write("canary", [kept("leeds")]), write("prod", [joins("+7")])];
    const { review } = await reviewed(...files);
    assert.deepEqual(
      review.crossings.map(({ title, notes }) => [title, ...notes]),
      [
        [
          "+7: declared by the stacks dev, canary, prod",
          "Each deployment overwrites the routing of the others. The first stack that removes a number takes its agents.",
          "Keep the numbers in one stack: new here is dev, prod.",
        ],
      ],
    );
  });

  it("says which stacks have numbers that it cannot compare", async () => {
    const files = [
      write("dev", [leaves("+7")], { changeSummary: { same: 4 } }),
      write("canary", NOTHING),
      write("prod", [single("create", "late", undefined, line(UNKNOWN, A))]),
    ];
    assert.deepEqual((await reviewed(...files)).review.notCompared, ["dev", "prod"]);
    const { stdout } = await run(files);
    assert.match(stdout, /^Not all numbers of `dev`, `prod` are compared with those of the other stacks\. /m);
  });

  const refusal023 = { diagnostics: [{ severity: "error", message: "error: AGP-023 no" }] };

  it("blocks if one of three previews failed, and shows the others", async () => {
    const files = [write("dev", [leaves("+7")]), write("canary", NOTHING, refusal023)];
    const { code, stdout, stderr } = await run([...files, write("prod", [joins("+8")])]);
    assert.equal(code, 1);
    assert.match(stderr, /^pulumi-agent-platform report: canary: Refused, nothing is sent: /);
    assert.match(stdout, /^### ❌ `canary`: Refused, nothing is sent: /m);
    assert.match(stdout, /^Not all numbers of `canary` are compared /m);
    assert.doesNotMatch(stdout, /reviewed-digest `canary`/);
  });

  it("takes the name of a preview that failed early from its file", async () => {
    const early = put("preview.canary.json", previewOf([], refusal023));
    assert.deepEqual((await reviewed(write("dev", NOTHING), early)).names, ["dev", "canary"]);
  });

  it("says that nothing changes anywhere", async () => {
    const { code, stdout } = await run([write("dev", NOTHING), write("prod", NOTHING)]);
    assert.equal(code, 0);
    assert.equal(stdout.match(/^### `(dev|prod)`: No change to agents, voices or chats$/gm)?.length, 2, stdout);
  });

  it("keeps names with markup as text, also in what concerns two stacks", async () => {
    const evil = "|</summary></details><script>x</script> [a](https://evil.example) **b** @team";
    const { stdout } = await run([
      write("dev", [single("delete", evil, line("+7", A))]),
      write("prod", [single("create", evil, undefined, line("+7", { [`a${evil.replaceAll("@", "")}@1`]: 100 }))]),
    ]);
    const outsideCode = stdout.replace(/(`+)[^`\n]*\1/g, "");
    assert.doesNotMatch(outsideCode, /<script|[^\\]\*\*b|\]\(https|@team/);
  });

  const refused: Record<string, [args: () => readonly string[], message: string]> = {
    "two previews of one stack": [
      () => [put("again.json", previewOf([shifts]))],
      "dev.json and again.json are previews of the same stack, dev. Name each stack once.",
    ],
    "previews of two projects": [
      () => [put("billing.json", previewOf([shifts]).replaceAll("::test::", "::billing::"))],
      "These stacks are of 2 projects: test, billing. Report each project by itself.",
    ],
    "a file that is no preview": [
      () => [put("log.json", "Previewing update (prod)")],
      "log.json: This is not the whole JSON of one preview. Write it with `pulumi preview --json > preview.json`.",
    ],
    "the digest of one stack": [
      () => [write("prod", NOTHING), "--expect", "e3b0c44298fc"],
      "--expect compares the preview of one stack. Name one preview.",
    ],
  };
  for (const [what, [args, message]] of Object.entries(refused)) {
    it(`refuses ${what}, and writes nothing`, async () => {
      const printed = await run([write("dev", NOTHING), ...args(), "--output", "refused.md"]);
      assert.deepEqual(printed, refusal("report", message));
      assert.ok(!existsSync(join(folder.path, "refused.md")));
    });
  }

  const digests = (stdout: string) =>
    [...stdout.matchAll(/reviewed-digest `(\S+)` `[\da-f]{12}`/g)].map(([, stack]) => stack);
  const names = Array.from({ length: 20 }, (_, index) => `stack-${index}`);

  it("fits into a comment if twenty stacks exchange numbers", async () => {
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
    assert.match(stdout, /^\*\*Left out\*\*, because a comment holds 65,000 characters: \d+ problems\. /m);
    assert.deepEqual(digests(stdout), names);
  });
});
