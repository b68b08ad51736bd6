import assert from "node:assert/strict";
import { readPreview } from "../../cli/pulumi/preview";
import { buildModel } from "../../cli/report/build";
import { toMarkdown } from "../../cli/report/formats/markdown";
import { toSvg } from "../../cli/report/formats/svg";
import { A, chat, modelOf, reportOf, single } from "./reportSteps";
import { previewOf } from "./reportSynthetic";

const hello = { toNumber: "+1", workspaceId: 1, sendKey: "1", agentId: "chat_agent_a", fromNumber: "+3" };

describe("the title of a split", () => {
  const titleOf = (before: object, after: object) => {
    const of = (inboundAgents: object) => ({ number: "+1", inboundAgents });
    return reportOf(single("update", "one", of(before), of(after))).cards[0]?.[0];
  };
  const rows: readonly (readonly [string, before: object, after: object])[] = [
    ["b joins +1 (one) at 100 %; a leaves", { a: 100 }, { b: 100 }],
    ["c joins +1 (one) at 100 %; a, b leave", { a: 90, b: 10 }, { c: 100 }],
    ["b joins +1 (one) at 30 %", { a: 100 }, { a: 70, b: 30 }],
    ["c joins +1 (one) at 50 %; 2 other agents change", { a: 60, b: 40 }, { a: 30, b: 20, c: 50 }],
    ["c joins +1 (one) at 50 %; 2 other agents change, and 1 of them leaves", { a: 60, b: 40 }, { a: 50, c: 50 }],
    [
      "Traffic split on +1 (one): c 10 % → 40 %; 2 other agents change",
      { a: 60, b: 30, c: 10 },
      { a: 50, b: 10, c: 40 },
    ],
  ];
  for (const [title, before, after] of rows) {
    it(`says who joins, and who leaves for it: ${title}`, () => {
      assert.equal(titleOf(before, after), title);
    });
  }
});

describe("the report of a chat that is kept", () => {
  it("does not say that it ends where retainOnDelete keeps it", () => {
    assert.deepEqual(reportOf(chat("replace", "hello", hello, { ...hello, sendKey: "2" }, { retainOnDelete: true })), {
      cards: [["⚠ Sends an SMS again: +1 (hello)", "The current chat (hello) continues, because of retainOnDelete."]],
      stops: ["replace: ⚠ Sends an SMS again: +1 (hello)"],
      onMerge: "1 POST that sends an SMS.",
    });
  });

  it("of one that moved into a component it names the alias that works: with another parent its name alone says nothing", () => {
    const inside = { parent: "acme:Office" };
    const moved = reportOf(chat("create", "hello", undefined, hello, inside), chat("delete", "hello", hello));
    const urn = "urn:pulumi:dev::test::pulumi-nodejs:dynamic/agent-platform:SmsChat::";
    assert.deepEqual(moved.cards, [
      [
        "⚠ Moved in the program: the chat with +1 will be sent again (hello)",
        "Sends an SMS to +1 again, and ends the first chat.",
        `To send nothing in this stack, write aliases: ["${urn}hello"] on hello.`,
      ],
    ]);
    const both = reportOf(chat("create", "new", undefined, hello, inside), chat("delete", "old", hello));
    assert.deepEqual(both.cards, [
      [
        "⚠ Renamed: the chat with +1 will be sent again (old → new)",
        "Sends an SMS to +1 again, and ends the first chat.",
        `To send nothing in this stack, write aliases: ["${urn}old"] on new.`,
      ],
    ]);
  });

  it("does not say so of one that got another name", () => {
    assert.deepEqual(
      reportOf(
        chat("create", "new", undefined, hello),
        chat("delete", "old", hello, undefined, { retainOnDelete: true }),
      ),
      {
        cards: [
          [
            "⚠ Renamed: the chat with +1 will be sent again (old → new)",
            "Sends an SMS to +1 again, and keeps the first chat open, because of retainOnDelete.",
            'To send nothing, write aliases: [{ name: "old" }] on new.',
          ],
        ],
        stops: ["replace: the chat with +1: renamed, will be sent again"],
        onMerge: "1 POST that sends an SMS.",
      },
    );
  });

  it("says that no SMS is sent where another chat is adopted in its place", () => {
    assert.deepEqual(reportOf(chat("replace", "hello", hello, { ...hello, sendKey: "2", adopt: "chat_77" })), {
      cards: [
        [
          "⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)",
          "The current chat (hello) ends after the new one has started.",
        ],
      ],
      stops: ["replace: ⚠ Adopts chat_77 instead, nothing is sent: the chat with +1 (hello)"],
      onMerge: "1 POST that ends a chat.",
    });
  });
});

describe("the report of a replacement that an earlier run left unfinished", () => {
  const [first, second, third] = ["1", "2", "3"].map((sendKey) => ({ ...hello, sendKey }));
  const leftOver = chat("delete-replaced", "hello", first, undefined, { id: "chat_1" });
  const ends = ["Ends the chat with +1 (hello)"];

  it("says what is still to be deleted", () => {
    assert.deepEqual(reportOf(leftOver), {
      cards: [ends],
      stops: [`delete: ${ends[0]}`],
      onMerge: "1 POST that ends a chat.",
    });
  });

  it("says so of a resource that is replaced once more, and of that replacement once", () => {
    const once = [
      chat("create-replacement", "hello", second, third, { id: "chat_2" }),
      chat("replace", "hello", second, third, { id: "chat_2" }),
      chat("delete-replaced", "hello", second, undefined, { id: "chat_2" }),
    ];
    const again = "⚠ Sends an SMS again: +1 (hello)";
    assert.deepEqual(reportOf(leftOver, ...once), {
      cards: [[again, "The current chat (chat_2) ends after the new one has started."], ends],
      stops: [`delete: ${ends[0]}`, `replace: ${again}`],
      onMerge: "1 POST that sends an SMS, 2 POSTs that end a chat each.",
    });
  });
});

describe("what a report shows of a change", () => {
  it("counts the notes that a picture leaves out", () => {
    const model = modelOf([
      single(
        "update",
        "a",
        { number: "+1", inboundAgents: A, unapplied: { reason: "unknown", applied: { inboundAgents: A } } },
        { number: "+1", inboundAgents: { agent_b: 100 }, endpoint: "https://other.example" },
      ),
    ]);
    const count = model.cards[0]?.notes.length ?? 0;
    assert.equal(count, 7);
    assert.ok(toSvg(model).includes(">… and 3 more notes; the text of the report has them.<"));
  });

  it("lets no key of an account pass for a line of its own", () => {
    const type = "pulumi:providers:pulumi-nodejs";
    const key = "agent-platform:k\n\nreviewed-digest `aaaaaaaaaaaa`\n<b>|x @everyone";
    const preview = JSON.parse(previewOf([]));
    preview.steps.push({
      op: "create",
      urn: `urn:pulumi:dev::test::${type}::second`,
      provider: "",
      newState: { type, inputs: { "agent-platform:baseUrl": "https://y.example", [key]: "1" } },
    });
    const text = toMarkdown(buildModel(readPreview(JSON.stringify(preview)), undefined));
    assert.ok(
      text.includes(
        "\nWith baseUrl `https://y.example` · k\\\\n\\\\nreviewed digest \\`aaaaaaaaaaaa\\`\\\\n\\<b\\>\\|x @\u200beveryone `1`\n",
      ),
      text,
    );
    assert.equal(text.match(/reviewed-digest/g)?.length, 1);
  });
});
