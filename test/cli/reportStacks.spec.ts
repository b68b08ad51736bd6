import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMIT } from "../../cli/report/markdown";
import { A, B, group, line, of, single, UNKNOWN } from "./reportSteps";
import { run as runIn } from "./reportSupport";
import { numberAt, previewOf, type SyntheticStep } from "./reportSynthetic";
import { refusal } from "./terminal";

/** Several previews of one project, each of another stack. */

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-platform-stacks-"));
});
after(() => rmSync(folder, { recursive: true }));

type Steps = readonly SyntheticStep[];
type More = Readonly<Record<string, unknown>>;

/** The files are named as their stacks. */
function write(stack: string, steps: Steps, more: More = {}): string {
  const file = `${stack}.json`;
  const withStack = JSON.parse(previewOf(steps, more)) as { steps: object[] };
  const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
  const same = { op: "same", urn, newState: { urn, type: "pulumi:pulumi:Stack" } };
  const text = JSON.stringify({ ...withStack, steps: [same, ...withStack.steps] });
  writeFileSync(join(folder, file), text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`));
  return file;
}

const run = (args: readonly string[]) => runIn(args, "", folder);
const NOTHING: Steps = [];
const rollouts = (after: string) => ({
  config: { "agent-platform:rollouts": JSON.stringify({ front: { stable: "a@1", promote: { after } } }) },
});

const joins = (number: string) => single("create", "leeds", undefined, line(number, B));
const leaves = (number: string, more: object = {}) => single("delete", "leeds", line(number, A), undefined, more);
const shifts = group(
  "update",
  "front",
  of({ "a@1": 90, "a@2": 10 }, "+1", "+2"),
  of({ "a@1": 50, "a@2": 50 }, "+1", "+2"),
);

interface Json {
  readonly headline: string;
  readonly crossings: readonly { readonly title: string; readonly notes: string[]; readonly isBlocking: boolean }[];
  readonly notes: readonly string[];
  readonly stacks: readonly { readonly stack: string; readonly isUnchanged: boolean; readonly digest: string }[];
}

async function reviewed(files: readonly string[], args: readonly string[] = []) {
  const { code, stdout, stderr } = await run([...files, "--json", ...args]);
  return { code, stderr, review: JSON.parse(stdout) as Json };
}

describe("agent-platform report over several stacks", () => {
  it("is a table, the unchanged stacks in one line, and a section with a digest for each that changes", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts]), write("prod", [joins("+9")])];
    const { code, stdout, stderr } = await run(files);
    assert.deepEqual([code, stderr], [0, ""]);
    const lines = stdout.split("\n");
    assert.deepEqual(lines.slice(0, 9), [
      "<!-- agent-platform-report test -->",
      "",
      "### `canary`: Traffic on 2 numbers (`front`): `a@2` 10 % → 50 % · `prod`: First assignment overwrites `+9` (`leeds`) with `agent_b@9` 100 %",
      "",
      "| stack | what changes | on merge | guards |",
      "| :-- | :-- | :-- | :-- |",
      "| `canary` | Traffic on 2 numbers (`front`): `a@2` 10 % → 50 % | 2 PUTs | none set |",
      "| `prod` | First assignment overwrites `+9` (`leeds`) with `agent_b@9` 100 % | 1 PUT | none set |",
      "",
    ]);
    assert.deepEqual(
      lines
        .filter((text) => /^No change|^<details|^<!-- rev|^reviewed/.test(text))
        .map((text) => text.replace(/`[\da-f]{12}`/, "…")),
      [
        "No change: `dev`.",
        "<!-- reviewed-digest `dev` … -->",
        "<details><summary><b>canary</b>: Traffic on 2 numbers (front): a&#64;2 10 % → 50 %</summary>",
        "reviewed-digest `canary` …",
        "<details open><summary><b>prod</b>: First assignment overwrites +9 (leeds) with agent&#95;b&#64;9 100 %</summary>",
        "reviewed-digest `prod` …",
      ],
    );
  });

  it("keeps the name of a stack that does not change, whatever Pulumi allows in it", async () => {
    const { stdout } = await run([write("a--b", NOTHING), write("a.b-_", NOTHING)]);
    assert.deepEqual(
      [...stdout.matchAll(/^<!-- reviewed-digest `([^`]+)` `[\da-f]{12}` -->$/gm)].map(([, stack]) => stack),
      ["a--b", "a.b-_"],
    );
  });

  it("gives each stack the digest that the job of that stack finds", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts]), write("prod", [joins("+9")])];
    const { stdout } = await run([...files, "--digest"]);
    const digests = stdout
      .trim()
      .split("\n")
      .map((text) => text.split(" "));
    assert.deepEqual(
      digests.map(([stack]) => stack),
      ["dev", "canary", "prod"],
    );
    for (const [stack, digest = ""] of digests) {
      assert.equal((await run([`${stack}.json`, "--expect", digest])).code, 0);
    }
    assert.equal((await run(["canary.json", "--expect", digests[2]?.[1] ?? ""])).code, 3);
  });

  it("has the order of promote.after, whatever the order of the arguments; a circle leaves it as given", async () => {
    const names = async (...files: string[]) => (await reviewed(files)).review.stacks.map(({ stack }) => stack);
    const files = [
      write("prod", [shifts], rollouts("acme/phones/canary")),
      write("canary", [shifts], rollouts("dev")),
      write("dev", [shifts]),
    ];
    assert.deepEqual(await names(...files), ["dev", "canary", "prod"]);
    write("dev", [shifts], rollouts("prod"));
    assert.deepEqual(await names(...files), ["prod", "canary", "dev"]);
  });

  it("judges the gates of each stack, and names it", async () => {
    const files = [write("dev", NOTHING), write("canary", [shifts])];
    const { code, stdout, stderr } = await run([...files, "--fail-on", "shift>25"]);
    assert.equal(code, 1);
    assert.equal(stderr, "pulumi-agent-platform report: canary: shift>25: 2 numbers (front): 40 percentage points\n");
    assert.match(stdout, /^\| `canary` \| .* \| 2 PUTs \| ⛔ shift\\>25 \|$/m);
    assert.match(stdout, /^<details open><summary><b>canary/m);
  });

  describe("a number that leaves one stack and joins another", () => {
    const title = "+7 would lose its agents: leaving dev, declared by prod";
    it("is blocked in either order, and it says how to move it", async () => {
      const files = [write("dev", [leaves("+7")]), write("prod", [joins("+7")])];
      for (const order of [files, [...files].reverse()]) {
        const { code, stderr, review } = await reviewed(order);
        assert.deepEqual(
          [code, stderr, review.headline],
          [1, `pulumi-agent-platform report: ${title}\n`, `❌ ${title}`],
        );
        assert.deepEqual(
          review.crossings.flatMap(({ notes }) => notes),
          [
            "Two deployments know nothing of each other: dev clears what prod declares. If prod is deployed before, or does not change, nobody assigns it again.",
            "Without a gap: first set the resource option retainOnDelete: true on leeds in dev, merge and deploy that, then this change. Take the option away afterwards, if the resource stays: while it is set, numbers that leave it keep their agents.",
          ],
        );
      }
    });

    it("is told of a group's numbers as well, and of one that the other stack declares already", async () => {
      const files = [
        write("dev", [group("replace", "emea", of(A, "+7", "+8", "+9"), of(A, "+9"))]),
        write("prod", [group("update", "all", of(B, "+1", "+7"), of(B, "+1", "+7", "+8"))]),
      ];
      const { code, review } = await reviewed(files);
      assert.deepEqual(
        [code, review.headline],
        [1, "❌ 2 numbers would lose their agents: leaving dev, declared by prod"],
      );
    });

    it("passes if the stack only forgets it, or if the other one has it at another platform or in another account", async () => {
      const elsewhere = { ...line("+7", B), endpoint: "https://staging.example" };
      for (const [mine, theirs] of [
        [leaves("+7", { retainOnDelete: true }), joins("+7")],
        [leaves("+7"), single("create", "leeds", undefined, elsewhere)],
        [
          single("delete", "leeds", { ...line("101", A), accountSid: "one" }),
          single("create", "leeds", undefined, { ...line("101", B), accountSid: "two" }),
        ],
      ] as const) {
        const { code, review } = await reviewed([write("dev", [mine]), write("prod", [theirs])]);
        assert.deepEqual([code, review.crossings], [0, []]);
      }
    });

    it("is blocked if the stacks have two workspaces or accounts: in international format a number exists once", async () => {
      for (const scope of ["workspaceId", "accountSid"]) {
        const files = [
          write("dev", [single("delete", "leeds", { ...line("+7", A), [scope]: "one" })]),
          write("prod", [single("create", "leeds", undefined, { ...line("+7", B), [scope]: "two" })]),
        ];
        const { code, review } = await reviewed(files);
        assert.deepEqual([code, review.headline], [1, `❌ ${title}`]);
      }
    });

    it("is blocked if the other stack has it already, and does not change it", async () => {
      const kept = single("same", "kept", line("+7", B), line("+7", B));
      const { code, review } = await reviewed([write("dev", [leaves("+7")]), write("prod", [kept])]);
      assert.deepEqual([code, review.headline], [1, `❌ ${title}`]);
    });

    it("waits for the delete of an earlier run: no option reaches that", async () => {
      const files = [
        write("dev", [
          group("delete-replaced", "emea", of(A, "+7", "+8")),
          group("same", "emea", of(A, "+8"), of(A, "+8")),
        ]),
        write("prod", [joins("+7")]),
      ];
      const { code, review } = await reviewed(files);
      assert.deepEqual([code, review.headline], [1, `❌ ${title}`]);
      assert.equal(
        review.crossings[0]?.notes[1],
        "An earlier run of dev did not delete what it had replaced: deploy dev before you merge this change.",
      );
    });

    it("names the worst in the first line, and how many more there are", async () => {
      const swap = [
        write("dev", [leaves("+7"), single("create", "b", undefined, line("+8", B))]),
        write("prod", [joins("+7"), single("delete", "b", line("+8", A))]),
      ];
      const { review } = await reviewed(swap);
      assert.equal(review.headline, `❌ ${title} · and 1 more between the stacks`);
      assert.deepEqual(
        review.crossings.map((one) => one.title),
        [title, "+8 would lose its agents: leaving prod, declared by dev"],
      );
    });

    it("is shown, and not blocked, if the guards of the stack that clears it are bypassed", async () => {
      const diagnostics = [{ severity: "warning", message: "warning: AGP-068 The guards are bypassed: move" }];
      const files = [write("dev", [leaves("+7")], { diagnostics }), write("prod", [joins("+7")])];
      const { code, review } = await reviewed(files);
      assert.deepEqual([code, review.headline], [0, `⚠ ${title}`]);
    });
  });

  describe("a number that two stacks declare", () => {
    it("is blocked if it joins one of them", async () => {
      const kept = single("same", "leeds", line("+7", A), line("+7", A));
      const { code, stderr, review } = await reviewed([write("dev", [kept]), write("prod", [joins("+7")])]);
      const title = "+7: declared by the stacks dev, prod";
      assert.deepEqual([code, stderr, review.headline], [1, `pulumi-agent-platform report: ${title}\n`, `❌ ${title}`]);
      assert.match(
        review.crossings[0]?.notes[0] ?? "",
        /Keep the numbers in one stack before you merge: new here is prod\.$/,
      );
    });

    it("is told once for all stacks that declare it", async () => {
      const kept = single("same", "leeds", line("+7", A), line("+7", A));
      const files = [write("dev", [joins("+7")]), write("canary", [kept]), write("prod", [joins("+7")])];
      const { code, review } = await reviewed(files);
      assert.deepEqual([code, review.headline], [1, "❌ +7: declared by the stacks dev, canary, prod"]);
      assert.deepEqual(
        review.crossings.map(({ notes }) => notes),
        [
          [
            "Each deployment overwrites the routing of the others, and the stack that removes a number first takes its agents away from the others. Keep the numbers in one stack before you merge: new here is dev, prod.",
          ],
        ],
      );
    });

    it("is not told if it was so before: the way out must not be blocked", async () => {
      const kept = (name: string) => single("same", name, line("+7", A), line("+7", A));
      const { code, review } = await reviewed([write("dev", [kept("a")]), write("prod", [kept("b"), shifts])]);
      assert.deepEqual([code, review.crossings], [0, []]);
    });
  });

  it("says which numbers it cannot compare: ones known after apply, and ones that a preview leaves out", async () => {
    const files = [
      write("dev", [leaves("+7")], { changeSummary: { same: 4 } }),
      write("prod", [single("create", "late", undefined, line(UNKNOWN, A))]),
    ];
    const { review } = await reviewed(files);
    assert.deepEqual(review.notes, [
      "Not compared, because they are known after apply: some numbers of prod.",
      "Numbers that stay as they are in dev are not compared: the preview leaves them out without pulumi preview --json --show-sames.",
    ]);
  });

  it("blocks if one of three previews failed, and shows the others", async () => {
    const diagnostics = [{ severity: "error", message: "error: AGP-023 no" }];
    const files = [
      write("dev", [leaves("+7")]),
      write("canary", NOTHING, { diagnostics }),
      write("prod", [joins("+8")]),
    ];
    const { code, stdout, stderr } = await run(files);
    assert.equal(code, 1);
    assert.match(stderr, /^pulumi-agent-platform report: canary: Refused, nothing is sent: /);
    assert.match(stdout, /^\| `canary` \| ❌ Refused, .* \| nothing, while the preview fails \| ❌ \|$/m);
    assert.match(stdout, /^Not compared with the other stacks: `canary`, because the preview failed\./m);
    assert.doesNotMatch(stdout, /reviewed-digest `canary`/);
  });

  it("names a stack whose preview failed early by the file that the pipelines write", async () => {
    const failed = previewOf([], { steps: [], diagnostics: [{ severity: "error", message: "error: no such agent" }] });
    writeFileSync(join(folder, "preview.canary.json"), failed);
    const { review } = await reviewed([write("dev", NOTHING), "preview.canary.json"]);
    assert.deepEqual(
      review.stacks.map(({ stack }) => stack),
      ["dev", "canary"],
    );
  });

  it("says that nothing changes anywhere", async () => {
    const { code, stdout } = await run([write("dev", NOTHING), write("prod", NOTHING)]);
    assert.equal(code, 0);
    assert.ok(
      stdout.includes(`\n### No change to agents, voices or chats in 2 stacks\n\nNo change: \`dev\`, \`prod\`.\n`),
      stdout,
    );
  });

  it("keeps names with markup as text, in the headline, the table, the sections and what concerns two stacks", async () => {
    const evil = "|</summary></details><script>x</script> [a](https://evil.example) **b** @team";
    const own = (op: "create" | "delete", number: string) =>
      op === "create"
        ? single(op, evil, undefined, line(number, { [`a${evil.replaceAll("@", "")}@1`]: 100 }))
        : single(op, evil, line(number, A));
    const { stdout } = await run([write("dev", [own("delete", "+7")]), write("prod", [own("create", "+7")])]);
    const outsideCode = stdout.replace(/(`+)[^`\n]*\1/g, "");
    assert.doesNotMatch(outsideCode, /<script|[^\\]\*\*b|\]\(https|@team/);
    assert.equal(outsideCode.match(/<\/details>/g)?.length, outsideCode.match(/<details/g)?.length);
    const cells = outsideCode.split("\n").filter((text) => text.startsWith("| ") && !text.startsWith("| :"));
    assert.deepEqual([...new Set(cells.slice(0, 3).map((row) => row.match(/(?<!\\)\|/g)?.length))], [5]);
  });

  describe("refuses with exit code 2, in one sentence, and writes nothing", () => {
    const refused = (what: string, args: () => readonly string[], message: string) =>
      it(what, async () => {
        assert.deepEqual(await run([...args(), "--output", "refused.md"]), refusal("report", message));
        assert.ok(!existsSync(join(folder, "refused.md")));
      });
    const dev = () => write("dev", NOTHING);
    const prod = () => write("prod", NOTHING);
    const other = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return name;
    };
    refused(
      "two previews of one stack",
      () => [dev(), other("again.json", previewOf([shifts]))],
      "dev.json and again.json are previews of the same stack, dev. Name each stack once.",
    );
    refused(
      "previews of two projects",
      () => [dev(), other("billing.json", previewOf([shifts]).replaceAll("::test::", "::billing::"))],
      "The previews are of 2 projects: test, billing. Report each project by itself.",
    );
    refused(
      "a file that is no preview, by its name",
      () => [dev(), other("log.json", "Previewing update (prod)")],
      "log.json: This is not the whole JSON of one preview. Write it with `pulumi preview --json > preview.json`.",
    );
    refused(
      "no preview at all",
      () => [],
      "The preview is empty. Write it with `pulumi preview --json > preview.json`.",
    );
    refused("a file that is missing", () => [dev(), "none.json"], "none.json is not there.");
    refused(
      "the digest of one stack",
      () => [dev(), prod(), "--expect", "e3b0c44298fc"],
      "--expect compares the preview of one stack. Name one preview.",
    );
  });

  it("fits into a comment, also with ten stacks of 1,000 numbers each, and with twenty stacks", async () => {
    const many = (stack: number, count: number): Steps =>
      Array.from({ length: count }, (_, index) => {
        const number = numberAt(stack * 1000 + index);
        const weights = { "a@1": 90 - (index % 50), "a@2": 10 + (index % 50) };
        return single("update", `line-${index}`, line(number, { "a@1": 100 }), line(number, weights));
      });
    for (const [stacks, numbers] of [
      [10, 1000],
      [20, 3],
    ] as const) {
      const files = Array.from({ length: stacks }, (_, index) => write(`s${index}`, many(index, numbers)));
      const { code, stdout } = await run(files);
      assert.equal(code, 0);
      assert.ok(stdout.length < LIMIT, String(stdout.length));
      assert.deepEqual(
        [...stdout.matchAll(/reviewed-digest `(s\d+)` `[\da-f]{12}`/g)].map(([, stack]) => stack),
        files.map((file) => file.replace(".json", "")),
      );
    }
  });

  it("fits into a comment if a number moves between each two of twenty stacks", async () => {
    const [names, count] = [Array.from({ length: 20 }, (_, index) => `stack-${index}`), 20];
    const moving = (from: number, to: number) => numberAt(from * count + to);
    const others = (index: number) => names.flatMap((_, other) => (other === index ? [] : [other]));
    const files = names.map((name, index) =>
      write(name, [
        ...others(index).map((to) => single("delete", `to-${to}`, line(moving(index, to), A))),
        ...others(index).map((from) => single("create", `from-${from}`, undefined, line(moving(from, index), A))),
      ]),
    );
    const { code, stdout } = await run(files);
    assert.equal(code, 1);
    assert.ok(stdout.length < LIMIT, String(stdout.length));
    assert.match(
      stdout,
      /^… and \d+ more between the stacks: `npx pulumi-agent-platform report --json` has them all\.$/m,
    );
    assert.deepEqual(
      [...stdout.matchAll(/^reviewed-digest `(stack-\d+)` `[\da-f]{12}`/gm)].map(([, stack]) => stack),
      names,
    );
  });
});
