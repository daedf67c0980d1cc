/**
 * `@mandate/sdk/turn`: turns for an instance of any entry of the SDK, such as `@mandate/sdk/plane`. An instance of
 * `@mandate/sdk` has the method `turn`.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export { filterTools } from './filter-tools.ts';
export { openTurn, type TurnOptions } from './open-turn.ts';
export type { MemoryFilter, ReadableStore } from './readable-stores.ts';
export type { Save } from './saves.ts';
export {
  type ReadRequest,
  type SaveRequest,
  Turn,
  type TurnIntent,
  type TurnRead,
  type TurnSaves,
  type TurnSource,
} from './turn.ts';
