import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { COMMANDS, main } from "../../cli/main";
import { CODES } from "../../provider/words/codes";
import { helpHint } from "../../provider/words/message";
import { namedIn } from "../support/named";
import { repository } from "../support/repository";
import { checkRows } from "../support/rows";
import { done, runWith } from "./terminal";

const help = (topic: string) => runWith(main, ["help", topic]);

const pages = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".md"),
);
const textOf = (page: string): string => readFileSync(join(repository, "docs", page), "utf8");

describe("agent-platform help", () => {
  it("prints each documentation page verbatim", async () => {
    const names = pages.map((page) => basename(page));
    assert.deepEqual(names, [...new Set(names)], "pages in different folders have different names");
    for (const page of pages) {
      assert.deepEqual(await help(basename(page)), done(textOf(page)), page);
    }
    assert.deepEqual(await help("killed-run"), done(textOf("runbooks/killed-run.md")));
  });

  it("lists the runbooks and their titles", async () => {
    const { stdout: list } = await runWith(main, ["help"]);
    for (const page of pages.filter((page) => page.startsWith("runbooks/"))) {
      const [, title = ""] = /^# (.+)$/m.exec(textOf(page)) ?? [];
      assert.match(list, new RegExp(`^  ${basename(page, ".md")} +${title}$`, "m"));
    }
  });

  it("prints a page for each topic mentioned in a command's help", async () => {
    const topics = Object.values(COMMANDS).flatMap((load) =>
      [
        ...load()
          .help()
          .matchAll(/npx pulumi-agent-platform help ([\w-]+)/g),
      ].map(([, topic = ""]) => topic),
    );
    assert.ok(topics.length > 5 && topics.includes("assumptions"), topics.join());
    for (const topic of topics) {
      assert.match((await help(topic)).stdout, /^(<!--.*\n)?# /, topic);
    }
  });

  it("prints an error code's title and remedy", async () => {
    for (const [code, { title }] of Object.entries(CODES)) {
      const { stdout } = await help(code.toLowerCase());
      assert.ok(stdout.startsWith(`${code} ${title}\n\n`), stdout);
    }
    const { title, fix: remedy, again } = CODES["AGP-061"];
    const { stdout: entry } = await help("AGP-061");
    const [head, fix, end = "", ...more] = entry.trimEnd().split("\n\n");
    assert.deepEqual([head, fix?.replaceAll("\n", " "), more], [`AGP-061 ${title}`, remedy, []]);
    assert.ok(end.endsWith(`: ${again}.`), entry);
    // If an error code has a runbook, the last line says how to print it.
    const { stdout } = await help("AGP-052");
    const [rerun = "", runbook] = stdout.trimEnd().split("\n").slice(-2);
    assert.ok(rerun.endsWith(`: ${CODES["AGP-052"].again}.`), stdout);
    assert.equal(runbook, helpHint("stuck-delete"));
  });

  const unknownTopics = [
    ["kiled-run", "npx pulumi-agent-platform help killed-run"],
    ["AGP-0311", "npx pulumi-agent-platform help AGP-031"],
    ["docter", "npx pulumi-agent-platform doctor"],
    ["../../package", "npx pulumi-agent-platform help"],
  ] as const;
  it("rejects an unknown topic and suggests what to run instead", () =>
    checkRows(
      unknownTopics,
      ([topic]) => topic,
      async ([topic, command]) => {
        const { code, stdout, stderr } = await help(topic);
        assert.deepEqual([code, stdout, namedIn(stderr)], [2, "", `"${topic}" \`${command}\``]);
      },
    ));
});
