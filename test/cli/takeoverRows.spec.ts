import assert from "node:assert/strict";
import fc from "fast-check";
import { UsageError } from "../../cli/errors";
import { groupRows, programText } from "../../cli/start/program";
import { parseCsv, readNumbers } from "../../cli/start/table";
import { defined } from "../../provider/base/json";
import { ASSIGNED_FIELDS } from "../../provider/routing/routing";

const HEADER = "number,label,agents,outbound,webhook,time routing";
const read = (...lines: string[]) => readNumbers([HEADER, ...lines].join("\n"));
const good =
  "+442079460100,London sales,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in,on";

describe("table parsing", () => {
  it("reads each routing field from its column", () => {
    const { rows, problems } = read(good, "4001,-,-,-,-,-", '+15551230001,"Sales, EMEA",agent_a:100,agent_b,-,off');
    assert.deepEqual(problems, []);
    const parsed = rows.map(({ number, label, routing }) => ({ number, label, routing: defined(routing) }));
    assert.deepEqual(new Set(Object.keys(parsed[0]?.routing ?? {})), new Set(ASSIGNED_FIELDS));
    assert.deepEqual(parsed, [
      {
        number: "+442079460100",
        label: "London sales",
        routing: {
          inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
          outboundAgentId: "agent_front",
          outboundAgentVersion: 12,
          inboundWebhookUrl: "https://hooks.example.com/in",
          isTimeRoutingEnabled: true,
        },
      },
      { number: "4001", label: undefined, routing: { inboundAgents: {} } },
      {
        number: "+15551230001",
        label: "Sales, EMEA",
        routing: {
          inboundAgents: { agent_a: 100 },
          outboundAgentId: "agent_b",
          isTimeRoutingEnabled: false,
        },
      },
    ]);
  });

  it("accepts commas, semicolons and tabs as separators", () => {
    for (const separator of [",", ";", "\t"]) {
      const lines = [HEADER, good].map((line) => `${line.replaceAll(",", separator)}\r\n`);
      const { rows, problems } = readNumbers(lines.join(""));
      assert.deepEqual([rows, problems], [read(good).rows, []]);
    }
  });

  it("accepts reordered columns and missing optional columns", () => {
    const { rows, problems } = readNumbers("Agents , number\nagent_a@1:100,+15551230001\n-,4001\n");
    assert.deepEqual(problems, []);
    assert.deepEqual(rows, [...read("+15551230001,-,agent_a@1:100,-,-,-").rows, ...read("4001,-,-,-,-,-").rows]);
  });

  it("accepts weights that sum to 1", () =>
    assert.deepEqual(read("+15551230001,-,agent_a:.7 agent_b:0.2 agent_c:0.1,-,-,-").problems, []));

  it("reports all invalid cells at once without printing webhook URLs", () => {
    const { rows, problems } = read(
      good,
      "4.42079E+11,,agent_a@1:60 agent_a@1:40,front,https://user:key@hooks.example.com,maybe",
      "+442079460102,-,agent_a@1:90 agent_b@1:9,-,-,-",
      "+442079460100,-,agent_a:x agent_b,-,-,-",
      "+44 20,-,agent_a:0,agent_a:5,-,-",
      "+442079460103,-,agent_a:100",
      "-, x,bob:100,-,-,constructor",
    );
    assert.deepEqual(rows, []);
    assert.deepEqual(
      problems.map((problem) => problem.split(":")[0]),
      [
        ...["number", "label", "agents", "outbound", "webhook", "time routing"].map((cell) => `line 3, ${cell}`),
        "line 4, agents",
        "line 5, number",
        "line 5, agents",
        "line 6, number",
        "line 6, agents",
        "line 6, outbound",
        "line 7",
        "line 8, number",
        "line 8, agents",
        "line 8, time routing",
      ],
    );
    assert.doesNotMatch(problems.join(), /hooks\.example/);
  });

  for (const { name, text, line } of [
    { name: "an unclosed quotation mark", text: 'a\n"b\nc', line: "line 2" },
    { name: "text after a closing quotation mark", text: 'a\n"b"c', line: "line 2" },
    { name: "no numbers", text: `${HEADER}\n`, line: undefined },
    { name: "no agents column", text: "number,label\n4001,-", line: "line 1" },
    { name: "a repeated column", text: "number,agents,Number\n4001,-,-", line: "line 1" },
    { name: "an unknown column", text: "number,Description,agents\n4001,-,-", line: "line 1" },
  ]) {
    it(`rejects a table with ${name}`, () =>
      assert.throws(
        () => readNumbers(text),
        (error) => error instanceof UsageError && /^line \d+/.exec(error.message)?.[0] === line,
      ));
  }
});

describe("CSV parsing", () => {
  it("reads a field with millions of quotation marks", () => {
    const field = '""'.repeat(5_000_000);
    const [, ...records] = parseCsv(`a,b\n\n"${field}",2\n\n`);
    assert.deepEqual(
      records.map(({ record: [first = "", second], line }) => ({ characters: first.length, second, line })),
      [{ characters: 5_000_000, second: "2", line: 3 }],
    );
  });

  it("parses any quoted field and counts lines correctly", () => {
    const field = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", " ", "\n", "\r\n", "\r", "é") });
    const ends = fc.tuple(fc.constantFrom(",", ";", "\t"), fc.constantFrom("\n", "\r\n", "\r"));
    // The parser converts every line break in a field to `\n`. That's fine, because labels can't contain line breaks.
    const asRead = (text: string) => text.replace(/\r\n?/g, "\n");
    const assertParsed = (rows: string[][], [separator = "", end = ""]: string[], isEnded: boolean): void => {
      const quoted = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator);
      const written = [["a", "b"].join(separator), ...rows.map(quoted)];
      let line = 0;
      assert.deepEqual(
        parseCsv(written.join(end) + (isEnded ? end : "")).map(({ record, line }) => [record, line]),
        [["a", "b"], ...rows].map((cells) => {
          line += 1 + (cells.map(asRead).join().match(/\n/g)?.length ?? 0);
          return [cells.map(asRead), line];
        }),
      );
    };
    fc.assert(fc.property(fc.array(fc.array(field, { minLength: 1 })), ends, fc.boolean(), assertParsed));
  });
});

describe("number parsing", () => {
  const readNumber = (text: string) => read(`"${text}",-,-,-,-,-`);
  it("accepts E.164 phone numbers and extensions", () => {
    const texts = ["+15551230001", "+15551230001#4001", "1", "400100", "0100", "front-desk", "alice@pbx.example"];
    for (const text of texts) {
      const { rows, problems } = readNumber(text);
      assert.deepEqual([rows.map((row) => row.number), problems], [[text], []]);
    }
    const { problems } = read("4001,-,-,-,-,-", "4001,-,-,-,-,-");
    assert.equal(problems.length, 1, "problems for a repeated number");
  });

  for (const { name, texts } of [
    {
      name: "a number that a spreadsheet reformatted",
      texts: ["4,42079E+11", "4.42E+11", "1E6", "4001,00", "4001.0"],
    },
    {
      name: "a number with spaces, punctuation or a tel: prefix",
      texts: ["00 442079460101", "(555) 123-4567", "tel:+15551234567", "'+15551234567"],
    },
    { name: "a phone number without a plus sign", texts: ["5551234567", "00442079460101", "4001000"] },
    {
      name: "an international number that is not in E.164 format",
      texts: ["+44 20 7946 0101", "+15551234567.0", "+500", "+89045", "+116117"],
    },
    { name: "a +1 number with too few or too many digits", texts: ["+1555123456", "+155512345678"] },
    { name: "a number with an invisible character", texts: ["4001\u200b", "+1\u200b5551234567"] },
  ]) {
    it(`rejects ${name}`, () => {
      const accepted = texts.filter((text) => readNumber(text).problems.length === 0);
      assert.deepEqual(accepted, []);
    });
  }
});

describe("the program that takeover writes", () => {
  it("writes a list argument as a JSON array", () => {
    const [resource, ...others] = groupRows(read(good).rows);
    assert.ok(resource !== undefined && others.length === 0, `${others.length} other resources`);
    const listed = [{ ...resource, declared: { ...resource.declared, list: ["emea", "$vip"] } }];
    assert.match(programText(listed), /^ {2}list: \["emea","\$vip"\],$/m);
  });

  it("names a resource after its agent or label", () => {
    const { rows, problems } = read(
      "+15551230001,London,agent_front@12:90 agent_front@13:10,agent_front@12,-,on",
      "+15551230002,-,agent_front@13:10 agent_front@12:90,agent_front@12,-,on",
      "+15551230003,Zürich Süd!,agent_front@12:100,agent_night,https://hooks.example.com/in,-",
    );
    assert.deepEqual(problems, []);
    assert.equal(
      programText(groupRows(rows)),
      `import { Config } from "@pulumi/pulumi";
import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";

// To send every routing again, set a new value: pulumi config set reassert 2
const triggers = { reassert: new Config().get("reassert") ?? "" };

new NumberGroup("front", {
  numbers: {
    "+15551230001": "London",
    "+15551230002": "",
  },
  inboundAgents: split({ "agent_front@12": 90, "agent_front@13": 10 }),
  outboundAgentId: "agent_front",
  outboundAgentVersion: 12,
  isTimeRoutingEnabled: true,
  triggers,
});

// Zürich Süd!
new NumberAssignment("zurich-sud", {
  number: "+15551230003",
  inboundAgents: split({ "agent_front@12": 100 }),
  outboundAgentId: "agent_night",
  inboundWebhookUrl: "https://hooks.example.com/in",
  triggers,
});
`,
    );
  });

  it("gives every resource a unique name", () => {
    const { rows } = read(
      ...[1, 2, 3, 4, 5].map((n) => `400${n},-,agent_a:100,-,-,-`),
      "5001,a,-,-,-,-",
      "5002,a,-,agent_x,-,-",
    );
    assert.deepEqual(
      groupRows(rows).map(({ name, kind, rows: members }) => `${kind} ${name} ${members.length}`),
      ["NumberGroup a 5", "NumberAssignment a-2 1", "NumberAssignment a-3 1"],
    );
  });

  it("reuses a saved resource's name only for the same numbers", () => {
    const { rows } = read(...[1, 2].map((n) => `400${n},-,agent_a:100,-,-,-`), "5001,desk,-,-,-,-");
    const saved = new Map([
      ["a", new Set(["4003", "4004"])],
      ["a-2", new Set(["4002", "4005"])],
      ["desk", new Set(["5002"])],
    ]);
    assert.deepEqual(
      groupRows(rows, saved).map(({ name }) => name),
      ["a-2", "desk-2"],
    );
  });
});
