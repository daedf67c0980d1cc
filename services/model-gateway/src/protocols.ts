import { anthropicProtocol, type ModelProtocol, openaiProtocol } from '@mandate/sdk/proxy';
import type { ProtocolName } from './models/models-shape.ts';

export const protocols: Readonly<Record<ProtocolName, ModelProtocol>> = {
  openai: openaiProtocol,
  anthropic: anthropicProtocol,
};
