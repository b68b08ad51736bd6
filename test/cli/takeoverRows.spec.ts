import assert from "node:assert/strict";
import fc from "fast-check";
import { grouped, programText } from "../../cli/start/program";
import { parseCsv, readNumbers } from "../../cli/start/table";
import { defined } from "../../provider/base/json";
import { ASSIGNED_FIELDS } from "../../provider/routing/routing";

const HEADER = "number,label,agents,outbound,webhook,time routing";
const read = (...lines: string[]) => readNumbers([HEADER, ...lines].join("\n"));
const good =
  "+442079460100,London sales,agent_front@12:90 agent_front@13:10,agent_front@12,https://hooks.example.com/in,on";

describe("a table of numbers", () => {
  it("is read in every column, into every assigned field", () => {
    const { rows, problems } = read(good, "4001,-,-,-,-,-", '+15551230001,"Sales, EMEA",agent_a:100,agent_b,-,off');
    assert.deepEqual(problems, []);
    const said = rows.map(({ number, label, routing }) => ({ number, label, routing: defined(routing) }));
    assert.deepEqual(new Set(Object.keys(said[0]?.routing ?? {})), new Set(ASSIGNED_FIELDS));
    assert.deepEqual(said, [
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

  it("is read as any spreadsheet saves it", () => {
    for (const separator of [",", ";", "\t"]) {
      const lines = [HEADER, good].map((line) => `${line.replaceAll(",", separator)}\r\n`);
      const { rows, problems } = readNumbers(lines.join(""));
      assert.deepEqual([rows, problems], [read(good).rows, []]);
    }
  });

  it("may have its columns in any order, and lack some", () => {
    const { rows, problems } = readNumbers("Agents , number\nagent_a@1:100,+15551230001\n-,4001\n");
    assert.deepEqual(problems, []);
    assert.deepEqual(rows, [...read("+15551230001,-,agent_a@1:100,-,-,-").rows, ...read("4001,-,-,-,-,-").rows]);
  });

  it("may have weights that sum to 1", () =>
    assert.deepEqual(read("+15551230001,-,agent_a:.7 agent_b:0.2 agent_c:0.1,-,-,-").problems, []));

  it("is refused with every bad cell at once, without a webhook", () => {
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
    assert.deepEqual(problems, [
      'line 3, number: "4.42079E+11" is what a spreadsheet made of a number; format the column as text and fill it again.',
      "line 3, label: blank; write - for none.",
      "line 3, agents: names the same agent and version as an earlier entry: remove one of the two.",
      'line 3, outbound: "front" is not an agent; write it as agent_front.',
      "line 3, webhook: must be an http or https URL without user name and password.",
      'line 3, time routing: "maybe" is neither on, off nor -.',
      "line 4, agents: the weights sum to 99, not 100 or 1.",
      "line 5, number: the same number as line 2.",
      'line 5, agents: "x" is not a weight; write a number such as 90.',
      'line 6, number: "+44 20" starts with `+`, so it must be in international format: `+`, the country code, 7 to 15 digits, nothing else.',
      "line 6, agents: must not have weights that are all zero.",
      'line 6, outbound: "agent_a:5" is not an agent; write it as agent_front@12.',
      "line 7: 3 columns, and the header has 6.",
      "line 8, number: a number must be given.",
      'line 8, agents: "bob" is not an agent; write it as agent_bob.',
      'line 8, time routing: "constructor" is neither on, off nor -.',
    ]);
  });

  const quotes =
    "a quote is not closed, or not at both ends of its field. Put the field in quotes, and double those inside it.";
  for (const [text, message] of [
    ['a\n"b\nc', `line 2: ${quotes}`],
    ['a\n"b"c', `line 2: ${quotes}`],
    [`${HEADER}\n`, "The file has a header and no number."],
    ["number,label\n4001,-", "line 1: there is no column agents."],
    ["number,agents,Number\n4001,-,-", "line 1: number must be there only once."],
    [
      "Phone Number,Description,agents\n4001,-,-",
      'line 1: "Phone Number", "Description" is no column. Rename or remove it. The columns are number, label, agents, outbound, webhook, time routing; number and agents are needed.',
    ],
  ] as const) {
    it(`is refused: ${JSON.stringify(text)}`, () => assert.throws(() => readNumbers(text), { message }));
  }
});

describe("a file of comma-separated values", () => {
  it("may have blank lines, and quotes by the million", () => {
    const field = '""'.repeat(5_000_000);
    const [, ...records] = parseCsv(`a,b\n\n"${field}",2\n\n`);
    assert.deepEqual(
      records.map(({ record: [first = "", second], line }) => ({ characters: first.length, second, line })),
      [{ characters: 5_000_000, second: "2", line: 3 }],
    );
  });

  it("has the fields that were written, with the line of each", () => {
    const field = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", " ", "\n", "\r\n", "\r", "é") });
    const ends = fc.tuple(fc.constantFrom(",", ";", "\t"), fc.constantFrom("\n", "\r\n", "\r"));
    // A label may have no line break, so it does not matter that each one is read as `\n`.
    const asRead = (text: string) => text.replace(/\r\n?/g, "\n");
    const isRead = (rows: string[][], [separator = "", end = ""]: string[], isEnded: boolean): void => {
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
    fc.assert(fc.property(fc.array(fc.array(field, { minLength: 1 })), ends, fc.boolean(), isRead));
  });
});

describe("a number in a table", () => {
  const numberRead = (text: string) => read(`"${text}",-,-,-,-,-`);
  const problem = (text: string, rule: string) => [`line 2, number: ${JSON.stringify(text)} ${rule}`];

  it("is a phone number or an extension, as a program may have it", () => {
    const texts = ["+15551230001", "+15551230001#4001", "1", "400100", "0100", "front-desk", "alice@pbx.example"];
    for (const text of texts) {
      const { rows, problems } = numberRead(text);
      assert.deepEqual([rows.map((row) => row.number), problems], [[text], []]);
    }
    const { problems } = read("4001,-,-,-,-,-", "4001,-,-,-,-,-");
    assert.deepEqual(problems, ["line 3, number: the same number as line 2."]);
  });

  const international = "international format: `+`, the country code, 7 to 15 digits, nothing else";
  const refused: Record<string, readonly string[]> = {
    "is what a spreadsheet made of a number; format the column as text and fill it again.": [
      ...["4,42079E+11", "4.42E+11", "1E6", "4001,00", "4001.0"],
    ],
    [`has seven digits or more, so it must be a phone number in ${international}.`]: [
      ...["00 442079460101", "(555) 123-4567", "tel:+15551234567", "'+15551234567"],
    ],
    [`has seven digits or more, so it must be a phone number in ${international} (in YAML, write it in quotes; in a spreadsheet, format the column as text: otherwise its \`+\` is lost).`]:
      ["5551234567", "00442079460101", "4001000"],
    [`starts with \`+\`, so it must be in ${international}.`]: [
      ...["+44 20 7946 0101", "+15551234567.0", "+500", "+89045"],
    ],
    "must have 11 digits, as every number of +1, and has 16.": ["+1555123456700000"],
    "must have 11 digits, as every number of +1, and has 6.": ["+116117"],
    "must hold no control or invisible characters.": ["4001\u200b", "+1\u200b5551234567"],
  };
  for (const [rule, texts] of Object.entries(refused)) {
    it(`is not guessed: ${JSON.stringify(texts)}`, () => {
      for (const text of texts) {
        assert.deepEqual(numberRead(text).problems, problem(text, rule));
      }
    });
  }
});

describe("the program of a takeover", () => {
  it("writes a list as a list", () => {
    const [resource, ...others] = grouped(read(good).rows);
    assert.ok(resource !== undefined && others.length === 0);
    const listed = [{ ...resource, declared: { ...resource.declared, list: ["emea", "$vip"] } }];
    assert.match(programText(listed), /^ {2}list: \["emea","\$vip"\],$/m);
  });

  it("groups equal routings, under names that outlive the split", () => {
    const { rows, problems } = read(
      "+15551230001,London,agent_front@12:90 agent_front@13:10,agent_front@12,-,on",
      "+15551230002,-,agent_front@13:10 agent_front@12:90,agent_front@12,-,on",
      "+15551230003,Zürich Süd!,agent_front@12:100,agent_night,https://hooks.example.com/in,-",
    );
    assert.deepEqual(problems, []);
    assert.equal(
      programText(grouped(rows)),
      `import { Config } from "@pulumi/pulumi";
import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";

// A new value sends every routing again: pulumi config set reassert 2
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

  it("gives no two resources one name", () => {
    const { rows } = read(
      ...[1, 2, 3, 4, 5].map((n) => `400${n},-,agent_a:100,-,-,-`),
      "5001,a,-,-,-,-",
      "5002,a,-,agent_x,-,-",
    );
    assert.deepEqual(
      grouped(rows).map(({ name, kind, rows: own }) => `${kind} ${name} ${own.length}`),
      ["NumberGroup a 5", "NumberAssignment a-2 1", "NumberAssignment a-3 1"],
    );
  });
});
