import type { AddCommunityVoiceRequest } from "../api/addCommunityVoice";
import type { CreateSmsChatRequest } from "../api/createSmsChat";
import { optionalArgument, type Problem, requiredArgument } from "../base/arguments";
import { chatAgentId, jsonObject, nameText, objectOf, oneOf, pathId, phoneNumber, plainText } from "../base/schemas";
import { CONTEXT_FIELDS, type Settings } from "../config/settings";
import { type PostInputs, type PreviewedPost, postLifecycle, postShape } from "./lifecycle";

export interface VoiceInputs extends AddCommunityVoiceRequest, PostInputs {}

/**
 * The schema for `providerScope` and `workspaceContext`, which are sent as headers (docs/interface.md, section 4.3).
 */
const headerText = plainText.regex(/^[!-~]([ -~]*[!-~])?$/, { error: "must be one line of visible ASCII" });

export const communityVoice = postLifecycle<VoiceInputs>({
  kind: "CommunityVoice",
  schema: objectOf({
    ...postShape,
    // Refuse secrets in these arguments. If the response repeats a value under another name, such as `name`, the engine
    // wouldn't treat it as secret.
    voiceProvider: requiredArgument("plain", plainText),
    providerVoiceId: requiredArgument("plain", plainText),
    voiceName: requiredArgument("plain", nameText),
    publicUserId: requiredArgument("plain", plainText),
    actorType: optionalArgument("plain", oneOf(["platform_admin", "provider_admin", "tenant_admin", "end_user"])),
    providerScope: optionalArgument("plain", headerText),
    workspaceContext: optionalArgument("plain", headerText),
    adopt: optionalArgument("plain", plainText),
  }),
  problems,
  post: (api, inputs) => api.addCommunityVoice(inputs),
});

/**
 * Checks the arguments that are sent as headers. The API does not name these headers (docs/interface.md, section 4.3),
 * so the settings must name each one that is used.
 */
function problems(inputs: PreviewedPost<VoiceInputs>, settings: Settings): Problem[] {
  const isAdmin = inputs.actorType === "platform_admin" || inputs.actorType === "provider_admin";
  const unnamed = CONTEXT_FIELDS.filter(
    (field) => inputs[field] !== undefined && settings.voiceHeaders?.[field] === undefined,
  );
  return [
    ...(isAdmin && inputs.workspaceContext === undefined
      ? [{ path: "workspaceContext", rule: `is required for the actor type "${inputs.actorType}"` }]
      : []),
    ...unnamed.map((field) => ({
      path: field,
      rule: `is sent in a header whose name is not configured: set agent-platform:voiceHeaders.${field}`,
    })),
  ];
}

export interface ChatInputs extends CreateSmsChatRequest, PostInputs {
  readonly sendKey?: string | undefined;
}

export const smsChat = postLifecycle<ChatInputs>({
  kind: "SmsChat",
  schema: objectOf({
    ...postShape,
    agentId: requiredArgument("public", chatAgentId),
    fromNumber: requiredArgument("secret", phoneNumber),
    toNumber: requiredArgument("secret", phoneNumber),
    metadata: optionalArgument("secret", jsonObject),
    serviceDynamicVariables: optionalArgument("secret", jsonObject),
    sendKey: optionalArgument("secret", plainText),
    adopt: optionalArgument("secret", pathId),
  }),
  post: (api, inputs) => api.createSmsChat(inputs),
  end: (api, id, state) => api.endChat({ chatId: id, workspaceId: state.workspaceId, saved: state }),
});
