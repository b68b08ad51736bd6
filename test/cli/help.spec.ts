import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "../../cli/help/pages";
import { inTerminal } from "../../cli/help/terminal";
import { COMMANDS, main } from "../../cli/main";
import { CODES } from "../../provider/core/messages";
import { repository } from "../support/repository";
import { done, runWith, type World } from "./terminal";

const help = (topic: string, world: World = {}) => runWith(main, ["help", topic], world);
const namesIn = (folder: string): string[] =>
  readdirSync(join(repository, folder)).flatMap((file) => /^(.+)\.md$/.exec(file)?.[1] ?? []);

/** A word that has a line of its own, such as an address, may be longer. */
const fits = (width: number) => (line: string) => line.length <= width || !line.trim().includes(" ");

/** Lines of a file, and requests, which no shell and no editor could put together again. */
const COPIED_WHOLE = /^ {4}(\+1555|put )/;

describe("help", () => {
  it("prints every page that a command names, every runbook, and what those link to, and lists them", async () => {
    const { stdout: list } = await runWith(main, ["help"]);
    const ofCommands = Object.values(COMMANDS).flatMap(
      (load) => /^More: npx pulumi-agent-platform help (\S+)$/m.exec(load().help())?.[1] ?? [],
    );
    const named = [...namesIn("docs/runbooks").map((name) => `runbooks/${name}`), "guides/guards", "reference/errors"];
    const linked = [...named, "troubleshooting"].flatMap((page) =>
      [...readFileSync(join(repository, `docs/${page}.md`), "utf8").matchAll(/\]\((?:[^)#]*\/)?([\w-]+)\.md/g)].map(
        ([, name = ""]) => name,
      ),
    );
    const inPackage = [...namesIn("docs/runbooks"), ...new Set(linked), "troubleshooting", "errors", "settings"];
    for (const topic of [...inPackage, ...ofCommands]) {
      const { code, stdout, stderr } = await help(topic);
      assert.deepEqual([code, stderr], [0, ""], topic);
      if (!Object.hasOwn(COMMANDS, topic)) {
        assert.match(stdout, /^\S.+\n\n[\s\S]+\S\n$/, topic);
      }
    }
    for (const topic of inPackage) {
      assert.match(list, new RegExp(`[ \\n]${topic}[ ,]`));
    }
  });

  it("lists a page with the name of a command by its folder as well, because help of the name is the command's", async () => {
    const { stdout: list } = await runWith(main, ["help"]);
    assert.match(list, /Also:\s[^.]*\bguides\/board,/);
    assert.match((await help("guides/board")).stdout, /^Board\n/);
  });

  it("prints each code: its title, when it is seen, and what to do", async () => {
    const errors = readFileSync(join(repository, "docs/reference/errors.md"), "utf8");
    for (const [code, { title }] of Object.entries(CODES)) {
      const { stdout } = await help(code.toLowerCase());
      const [heading, when = "", remedy = ""] = stdout.split("\n\n");
      assert.equal(heading, `${code} ${title}`);
      assert.ok(errors.includes(`## ${when.trim().split(". ")[0]}\n`), when);
      assert.ok(remedy.trim().length > 3, stdout);
    }
    assert.deepEqual(
      await help("AGP-062"),
      done(`AGP-062 There is nothing to clear or to end

  Warnings. Most block nothing.

  No action is needed. If this is unexpected, check the base URL.
`),
    );
  });

  it("holds the width of the terminal, but for what is to be copied", async () => {
    const wide = async (topic: string, columns: number) => {
      const { stdout } = await help(topic, { columns });
      return stdout.split("\n").filter((line) => !fits(columns)(line));
    };
    for (const topic of pages().map(({ topic }) => topic)) {
      assert.deepEqual(
        (await wide(topic, 80)).filter((line) => !COPIED_WHOLE.test(line)),
        [],
        topic,
      );
    }
    for (const columns of [50, 120]) {
      assert.deepEqual(await wide("unauthorized", columns), []);
      const { stdout } = await help("unauthorized", { columns });
      assert.match(stdout, /^ {4}npx pulumi-agent-platform doctor --stack dev$/m);
    }
  });

  it("has bold titles on a terminal whose user has not set NO_COLOR", async () => {
    const bold = async (world: World) =>
      (await help("killed-run", world)).stdout.startsWith("\u001b[1mA run was killed");
    assert.deepEqual(
      [await bold({ isTerminal: true }), await bold({ isTerminal: true, env: { NO_COLOR: "1" } }), await bold({})],
      [true, false, false],
    );
  });

  for (const [topic, what] of [
    ["kiled-run", "Did you mean `npx pulumi-agent-platform help killed-run`?"],
    ["AGP-0311", "Did you mean `npx pulumi-agent-platform help AGP-031`?"],
    ["docter", "Did you mean `npx pulumi-agent-platform doctor`?"],
    ["../../package", "`npx pulumi-agent-platform help` lists what there is."],
  ] as const) {
    it(`knows no ${topic}, and says what was meant`, async () =>
      assert.deepEqual(await help(topic), {
        code: 2,
        stdout: "",
        stderr: `pulumi-agent-platform: The command or page "${topic}" does not exist. ${what}\n`,
      }));
  }

  it("shows what pages hold: lists, tables, code, links; and nothing of their marks", () => {
    const page = `<!-- Made by a tool. -->
# A *title* with \`code\`

**Look** first: \`a ** b\` stays, [the guide](../guides/guards.md) and [the site](https://example.com/x) follow.

1. One step, which is longer than the line may be.

   \`\`\`sh
   pulumi up --stack dev --yes --skip-preview # is not wrapped
   \`\`\`

   \`\`\`text
   as printed, and   wrapped because it is longer
     as   printed
   \`\`\`

- <a id="x"></a>An entry

| You see | Do |
| --- | --- |
| \`a \\| b\` | **nothing** |

| Pending | Still there | Reverted |
| --- | --- | --- |
| a number | run it again | change \`triggers\` |
`;
    const style = { width: 40, heading: (text: string) => text.toUpperCase(), linked: (to: string) => ` <${to}>` };
    assert.equal(
      inTerminal(page, style),
      `A TITLE WITH \`CODE\`

  Look first: \`a ** b\` stays, the guide
  <../guides/guards.md> and the site
  <https://example.com/x> follow.

  1. One step, which is longer than the
     line may be.

       pulumi up --stack dev --yes --skip-preview # is not wrapped

       as printed, and wrapped because
       it is longer
         as   printed

  - An entry

  \`a | b\`
    nothing

  a number
    - Still there: run it again
    - Reverted: change \`triggers\`
`,
    );
  });

  it("leaves no mark of Markdown in any page", async () => {
    for (const topic of [...namesIn("docs/runbooks"), "troubleshooting", "errors", "settings", "guides/board"]) {
      const { stdout } = await help(topic);
      const text = stdout.replace(/`[^`]*`/g, "").replace(/^ {4}.*$/gm, "");
      assert.doesNotMatch(text, /\]\(|\*\*|<\/?a|<!--|^\s*\||```/m, topic);
    }
  });
});
