import assert from "node:assert/strict";
import type { dynamic } from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { secretsRefused } from "../../provider/base/arguments";
import { KINDS, postedAs } from "../../provider/config/kinds";
import * as handlers from "../../provider/handlers";
import * as exported from "../../provider/index";
import { ROUTING_FIELDS } from "../../provider/routing/routing";
import { LIFECYCLES } from "../support/lifecycles";
import { checkRows } from "../support/rows";

describe("the provider", () => {
  it("exports a class for each kind of resource", () =>
    assert.deepEqual(
      KINDS.filter((kind) => !Object.keys(exported).includes(kind)),
      [],
    ));

  it("rejects secret values in arguments that reviewers need to see", () => {
    const routing = ["rollout", ...ROUTING_FIELDS.filter((name) => name !== "inboundWebhookUrl")];
    const plain = [
      ["number", ...routing],
      ["numbers", ...routing],
      ["adopt", ...postedAs("CommunityVoice").replaces],
      ["agentId", "workspaceId"],
    ];
    for (const [index, { schema }] of KINDS.map((kind) => LIFECYCLES[kind]).entries()) {
      const refused = secretsRefused(schema, Object.keys(Reflect.get(schema, "shape")));
      assert.deepEqual(refused.sort(), plain[index]?.sort());
    }
  });

  it("exports a handler for each kind of resource", () =>
    checkRows(KINDS, String, async (kind) => {
      const handler = Object.entries(handlers).find(([name]) => name.toLowerCase() === kind.toLowerCase())?.[1];
      const get = (key: string) => ({ "agent-platform:baseUrl": "https://platform.example" })[key];
      await handler?.configure?.({ config: { get, require: get } as dynamic.Config });
      const { failures } = (await handler?.check?.({}, {})) ?? {};
      assert.match(failures?.[0]?.reason ?? "", new RegExp(`^AGP-\\d+ ${kind}: `));
    }));
});
