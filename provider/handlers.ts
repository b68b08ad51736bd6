import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "./engine/provider";
import * as numbers from "./numbers/lifecycle";
import * as posts from "./posts/kinds";

/**
 * The text of the provider in every saved state loads this file by these names, so they must not change.
 * They have the SDK's type, so that a program's compiler reads nothing of what the provider works with.
 */
export const numberAssignment: dynamic.ResourceProvider = dynamicProvider(numbers.numberAssignment);
export const numberGroup: dynamic.ResourceProvider = dynamicProvider(numbers.numberGroup);
export const communityVoice: dynamic.ResourceProvider = dynamicProvider(posts.communityVoice);
export const smsChat: dynamic.ResourceProvider = dynamicProvider(posts.smsChat);
