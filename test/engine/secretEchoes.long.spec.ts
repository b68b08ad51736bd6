import assert from "node:assert/strict";
import { boardCommand } from "../../cli/commands/board";
import { doctorCommand } from "../../cli/commands/doctor";
import { reportCommand } from "../../cli/commands/report";
import { showCommand } from "../../cli/commands/show";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { ENCODERS } from "../support/encoders";
import { environment } from "../support/engine";
import { platformStack, TOKEN } from "../support/platformStack";

/**
 * A secret used in the webhook and in the chat's metadata. JSON, URLs and HTML each encode its characters differently.
 */
const KEY = 'hush/4f+1c="&';
const WEBHOOK = `https://hooks.example.com/in?key=${encodeURIComponent(KEY)}`;

const program = `
  import * as pulumi from "@pulumi/pulumi";
  import { NumberAssignment, SmsChat } from "pulumi-agent-platform";
  new NumberAssignment("line", {
    number: "4001", inboundAgents: { agent_a: 1 }, inboundWebhookUrl: pulumi.secret(${JSON.stringify(WEBHOOK)}),
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002",
    metadata: { note: pulumi.secret(${JSON.stringify(KEY)}) },
  });`;

/** Returns an error response body that repeats the secret. Slashes are escaped, as in PHP's JSON. */
const bodyOf = (secret: string): string =>
  JSON.stringify({ errors: { field: [`The value '${secret}' is not reachable.`] }, path: "/api" }).replaceAll(
    "/",
    "\\/",
  );

describe("secrets in error responses", () => {
  const opened = platformStack({ program });

  it("redacts secrets that the platform repeats in an error", async () => {
    const { stack, platform } = opened();
    for (const secret of [WEBHOOK, KEY, TOKEN]) {
      platform.inject({
        kind: "status",
        status: 500,
        body: bodyOf(secret),
        operation: "assignNumber",
        times: "always",
      });
      platform.inject({
        kind: "status",
        status: 422,
        body: bodyOf(secret),
        operation: "createSmsChat",
        times: "always",
      });
      const failed = await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
      assert.match(failed.output, /AGP-040/, "the number's request reached the platform");
      assert.match(failed.output, /AGP-030/, "the chat's request reached the platform");
      platform.clearFaults();
      const preview = await stack.preview({ json: true, args: ["--show-sames"] });
      const { directory } = await findOrInstallEngine();
      const world = { cwd: stack.project.directory, env: environment(directory, stack.project, {}) };
      const stackArgs = ["--stack", "dev"];
      const outputs = {
        "the output": failed.output,
        "the state": stack.stateText(),
        "the preview": preview.output,
        doctor: (await runWith(doctorCommand.run, stackArgs, world)).stdout,
        show: (await runWith(showCommand.run, stackArgs, world)).stdout,
        board: (await runWith(boardCommand.run, stackArgs, world)).stdout,
        report: (await runWith(reportCommand.run, ["-"], { ...world, stdin: preview.output })).stdout,
      };
      for (const [where, text] of Object.entries(outputs)) {
        assert.notEqual(text, "", `${where} is empty`);
        for (const hidden of [WEBHOOK, KEY, TOKEN]) {
          const encoder = Object.keys(ENCODERS).find((name) => text.includes(ENCODERS[name]?.(hidden) ?? ""));
          assert.equal(encoder, undefined, `${where} shows ${hidden} in:\n${text}`);
        }
      }
    }
  });
});
