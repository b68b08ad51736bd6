import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "./engine/provider";
import * as numbers from "./numbers/lifecycle";
import * as posts from "./posts/kinds";

/**
 * The provider source in every saved state loads this file and these exports by name, so the names must not change.
 * They have the SDK's type, so that compiling a program doesn't pull in the provider's own types.
 */
export const numberAssignment: dynamic.ResourceProvider = dynamicProvider(numbers.numberAssignment);
export const numberGroup: dynamic.ResourceProvider = dynamicProvider(numbers.numberGroup);
export const communityVoice: dynamic.ResourceProvider = dynamicProvider(posts.communityVoice);
export const smsChat: dynamic.ResourceProvider = dynamicProvider(posts.smsChat);
