import { dynamicProvider } from "./engine/provider";
import { LIFECYCLES } from "./lifecycles";

/** The text of the provider in every saved state loads this file by these names, so they must not change. */
export const numberAssignment = dynamicProvider(LIFECYCLES.NumberAssignment);
export const numberGroup = dynamicProvider(LIFECYCLES.NumberGroup);
export const communityVoice = dynamicProvider(LIFECYCLES.CommunityVoice);
export const smsChat = dynamicProvider(LIFECYCLES.SmsChat);
