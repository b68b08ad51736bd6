import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "./engine/provider";
import { LIFECYCLES } from "./lifecycles";

/**
 * The text of the provider in every saved state loads this file by these names, so they must not change.
 * They have the SDK's type, so that a program's compiler reads nothing of what the provider works with.
 */
export const numberAssignment: dynamic.ResourceProvider = dynamicProvider(LIFECYCLES.NumberAssignment);
export const numberGroup: dynamic.ResourceProvider = dynamicProvider(LIFECYCLES.NumberGroup);
export const communityVoice: dynamic.ResourceProvider = dynamicProvider(LIFECYCLES.CommunityVoice);
export const smsChat: dynamic.ResourceProvider = dynamicProvider(LIFECYCLES.SmsChat);
