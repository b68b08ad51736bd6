import assert from "node:assert/strict";
import { secretsOfNumber } from "../../provider/api/assignNumber";
import { parseBody } from "../../provider/api/body";
import { secretsIn } from "../../provider/api/operation";

describe("a response body", () => {
  it("redacts the token in both keys and values of a response body", () => {
    const token = "sk_live-4f1c";
    const bytes = Buffer.from(JSON.stringify({ [token]: [token], other: `is ${token}` }));
    assert.deepEqual(parseBody(bytes, "application/json", token), {
      form: "json",
      value: { "[the access token]": ["[the access token]"], other: "is [the access token]" },
    });
  });
});

describe("the secrets of a request", () => {
  it("treats a hidden string as a secret unless it is short or also occurs in a visible field", () => {
    const fields = { agentId: "agent_front", note: "front", name: "Jo Doe", url: "https://h.example/in?key=a1b2c3" };
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

  it("also redacts secrets that earlier requests may have left on the number", () => {
    const routing = { inboundAgents: { "agent_front@1": 100 }, inboundWebhookUrl: "https://h.example/in?key=new-key" };
    const mayHave = { inboundWebhookUrl: "https://h.example/in?key=old-key", extraFields: { pin: "old-pin" } };
    const secrets = [...secretsOfNumber({ number: "4001", routing, mayHave: [mayHave] }).keys()];
    assert.deepEqual(
      ["new-key", "old-key", "old-pin"].filter((text) => !secrets.includes(text)),
      [],
    );
  });
});
