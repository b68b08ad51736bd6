import * as pulumi from "@pulumi/pulumi";
import { SmsChat } from "pulumi-agent-platform";

const config = new pulumi.Config();

// Creating the chat sends an SMS, so the program declares it only if there is a recipient.
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
        // To send another SMS on purpose, change this value. That ends this chat and starts a new one.
        sendKey: config.get("sendKey") ?? "first",
      });

export const chatId = chat?.chatId;
export const status = chat?.status;
