import type { dynamic } from "@pulumi/pulumi";
import { dynamicProvider } from "./engine/provider";
import * as numbers from "./numbers/lifecycle";
import * as posts from "./posts/kinds";

/**
 * Never rename this module or its exports: code in every saved state loads them by name. They have the SDK's type, so
 * that a program compiles without the provider's own types.
 */
export const numberAssignment: dynamic.ResourceProvider = dynamicProvider(numbers.numberAssignment);
export const numberGroup: dynamic.ResourceProvider = dynamicProvider(numbers.numberGroup);
export const communityVoice: dynamic.ResourceProvider = dynamicProvider(posts.communityVoice);
export const smsChat: dynamic.ResourceProvider = dynamicProvider(posts.smsChat);
