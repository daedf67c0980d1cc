/**
 * Caches compiled patterns of all tenants together, within a limited memory.
 */
import { RE2JS, RE2JSException } from 're2js';
import { PatternRefused } from './pattern-to-re2.ts';

/** A pattern that is compiled when it is first run, and again after the cache dropped it. */
export type Program = {
  readonly pattern: string;
  readonly re2: string;
  readonly size: number;
  /** Flags of RE2JS. */
  readonly flags: number;
  compiled: RE2JS | null;
  turn: number;
};

/** @param flags of RE2JS; none by default */
export function newProgram(pattern: string, re2: string, size: number, flags = 0): Program {
  return { pattern, re2, size, flags, compiled: null, turn: -1 };
}

/**
 * How many instructions of compiled patterns are cached, for all tenants together. An instruction takes some hundred
 * bytes. The least recently used patterns are dropped. At most twice this number is in memory.
 */
const MOST_KEPT = 500_000;
/** The memory of the automaton of one pattern, in bytes. More memory does not make typical patterns faster. */
const REMEMBERED = 128 * 1024;

let turn = 0;
let kept = 0;
let young: Program[] = [];
let old: Program[] = [];

/** @throws PatternRefused if the engine does not accept the pattern */
export function compiled(program: Program): RE2JS {
  program.compiled ??= compile(program);
  if (program.turn !== turn) keep(program);
  return program.compiled;
}

function keep(program: Program): void {
  if (kept + program.size > MOST_KEPT) {
    for (const one of old) if (one.turn < turn) one.compiled = null;
    old = young;
    young = [];
    kept = 0;
    turn += 1;
  }
  program.turn = turn;
  kept += program.size;
  young.push(program);
}

function compile({ pattern, re2, flags }: Program): RE2JS {
  try {
    const made = RE2JS.compile(re2, flags);
    const { dfa } = made.re2();
    dfa.stateBudget = REMEMBERED;
    dfa.memBudget = REMEMBERED;
    return made;
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternRefused(pattern, error.message);
    throw error;
  }
}
