import { dynamicHandler } from "./pulumi/dynamicHandler";
import { communityVoice as voice } from "./resources/communityVoice";
import { numberAssignment as number } from "./resources/numberAssignment";
import { numberGroup as group } from "./resources/numberGroup";
import { smsChat as chat } from "./resources/smsChat";

/** What the one line in every saved state requires: these names are a contract with states of all releases. */
export const numberAssignment = dynamicHandler(number);
export const numberGroup = dynamicHandler(group);
export const communityVoice = dynamicHandler(voice);
export const smsChat = dynamicHandler(chat);
