import assert from "node:assert/strict";
import { secretsOfNumber } from "../../provider/api/assignNumber";
import { parseBody } from "../../provider/api/body";
import { secretsIn } from "../../provider/api/operation";

describe("parseBody", () => {
  it("redacts the access token in JSON keys and values", () => {
    const token = "sk_live-4f1c";
    const bytes = Buffer.from(JSON.stringify({ [token]: [token], other: `is ${token}` }));
    assert.deepEqual(parseBody(bytes, "application/json", token), {
      form: "json",
      value: { "[the access token]": ["[the access token]"], other: "is [the access token]" },
    });
  });
});

describe("finding the secrets in a request", () => {
  it("treats URLs and their parts as secrets, but not short strings", () => {
    const fields = { agentId: "agent_front", note: "short", name: "Jo Doe", url: "https://h.example/in?key=a1b2c3" };
    assert.deepEqual(
      [...secretsIn(fields, ["agentId"])],
      [
        ["Jo Doe", "name"],
        ["https://h.example/in?key=a1b2c3", "url"],
        ["/in?key=a1b2c3", "url"],
        ["a1b2c3", "url"],
      ],
    );
  });

  it("treats values from earlier requests as secrets", () => {
    const routing = { inboundAgents: { "agent_front@1": 100 }, inboundWebhookUrl: "https://h.example/in?key=new-key" };
    const mayHave = { inboundWebhookUrl: "https://h.example/in?key=old-key", extraFields: { pin: "old-pin" } };
    const secrets = [...secretsOfNumber({ number: "4001", routing, mayHave: [mayHave] }).keys()];
    assert.deepEqual(
      ["new-key", "old-key", "old-pin"].filter((secret) => !secrets.includes(secret)),
      [],
    );
  });
});
