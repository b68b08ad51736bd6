import * as pulumi from "@pulumi/pulumi";
import { SmsChat } from "pulumi-agent-platform";

const config = new pulumi.Config();

// Creating this sends an SMS, so without a recipient the program declares nothing.
const toNumber = config.get("toNumber");

const chat =
  toNumber === undefined
    ? undefined
    : new SmsChat("reminder", {
        workspaceId: config.getNumber("workspaceId") ?? 42,
        agentId: config.get("agentId") ?? "chat_agent_reminder",
        fromNumber: config.get("fromNumber") ?? "+15551234567",
        toNumber,
        metadata: { campaign: "spring" },
        serviceDynamicVariables: { firstName: config.get("firstName") ?? "Ada" },
        // A new value ends this chat and starts another one. It is the only way to send again on purpose.
        sendKey: config.get("sendKey") ?? "first",
      });

export const chatId = chat?.chatId;
export const status = chat?.status;
