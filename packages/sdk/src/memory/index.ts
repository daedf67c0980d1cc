/**
 * `@mandate/sdk/memory`: governed memory for an instance of any entry of the SDK, such as `@mandate/sdk/plane`. An
 * instance of `@mandate/sdk` has the method `memory`.
 */
export type { AgentSource } from '../adapters/agent-source.ts';
export type {
  GovernedMemory,
  MemoryCallOptions,
  MemoryClient,
  MemoryFacts,
  MemoryOptions,
  MemoryPruning,
  MemorySearch,
  MemoryTarget,
  Time,
} from './client.ts';
export { governMemory } from './govern-memory.ts';
