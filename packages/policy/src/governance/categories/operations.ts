/** Which policies each operation on memories asks: the table of validators and transformers. */
import type { MemoryOperation } from '@mandate/schemas';
import { CAPS } from '@mandate/schemas/core';
import { charactersIn } from '../text/characters-in.ts';
import { type Categories, configuredBelow, effectivePolicy, pathsTo, shown } from './categories.ts';
import { created, describing, making, pruning, type Transformer, withCeiling } from './transformers.ts';
import {
  isOfSystem,
  isShortDescription,
  isWithinLength,
  mayMake,
  type Place,
  permits,
  type Validator,
} from './validators.ts';

export type Pipelines = {
  readonly validators: readonly Validator[];
  readonly transformers: readonly Transformer[];
};

const NOTHING: readonly Transformer[] = [];

/** The store of the operation, and of the target of a move, must be in the config. */
export const OPERATIONS: Readonly<
  Record<MemoryOperation['operation'], (categories: Categories, operation: MemoryOperation) => Pipelines>
> = {
  createMemory(categories, operation) {
    const { store, category = '', expiresAt = null, existing } = operation;
    const place = placeIn(categories, store, category);
    const missing = missingTo(place.path, existing);
    return {
      validators: [
        permits('create', place),
        isWithinLength(lengthOf(operation), place),
        mayMake(missing, (path) => placeIn(categories, store, path)),
      ],
      transformers: [making(missing), withCeiling(place, { asked: expiresAt, from: 'now' })],
    };
  },
  updateMemory(categories, operation) {
    const { store, category = '', createdAt = 'now', expiresAt, currentExpiresAt = null } = operation;
    const place = placeIn(categories, store, category);
    const asked = expiresAt === undefined ? currentExpiresAt : expiresAt;
    return {
      validators: [permits('update', place), isWithinLength(lengthOf(operation), place)],
      transformers: [withCeiling(place, { asked, from: createdAt })],
    };
  },
  deleteMemory(categories, { store, category = '' }) {
    return { validators: [permits('delete', placeIn(categories, store, category))], transformers: NOTHING };
  },
  moveMemory(categories, operation) {
    const { store, category = '', to = '', toStore = store, createdAt = 'now', existing } = operation;
    const source = placeIn(categories, store, category);
    const target = placeIn(categories, toStore, to);
    if (toStore === store && source.path === target.path)
      return { validators: [permits('update', target)], transformers: NOTHING };
    const missing = missingTo(target.path, existing);
    return {
      validators: [
        permits('delete', source),
        permits('create', target),
        isWithinLength(lengthOf(operation), target),
        mayMake(missing, (path) => placeIn(categories, toStore, path)),
      ],
      transformers: [
        making(missing),
        withCeiling(target, { asked: operation.currentExpiresAt ?? null, from: createdAt }),
      ],
    };
  },
  createCategory(categories, { store, path = '', existing = [] }) {
    const place = placeIn(categories, store, path);
    if (existing.some((one) => shown(one) === place.path))
      return { validators: [], transformers: [created(false)] };
    const missing = missingTo(place.path, existing);
    return {
      validators: [mayMake(missing, (one) => placeIn(categories, store, one))],
      transformers: [created(true), making(missing)],
    };
  },
  deleteCategory(categories, { store, path = '', existing }) {
    const place = placeIn(categories, store, path);
    const known = existing?.map(shown).filter((one) => one.startsWith(`${place.path}/`));
    const below = known?.sort() ?? configuredBelow(categories, store, path);
    const all = [place, ...below.map((one) => placeIn(categories, store, one))];
    return { validators: all.map((one) => permits('delete', one)), transformers: NOTHING };
  },
  setDescription(categories, { store, path = '', description = '' }) {
    const place = placeIn(categories, store, path);
    return {
      validators: [
        permits('update', place),
        isShortDescription(description, CAPS.descriptionCharacters, place.path),
      ],
      transformers: [describing(description)],
    };
  },
  prune(_categories, { origins = {} }) {
    const origin = Object.hasOwn(origins, 'operation') ? (origins.operation ?? 'model') : 'model';
    return { validators: [isOfSystem(origin, 'prune memories')], transformers: [pruning] };
  },
};

function placeIn(categories: Categories, store: string, path: string): Place {
  const effective = effectivePolicy(categories, store, path);
  if (effective === null) throw new TypeError(`the store "${store}" is not in the config`);
  return { path: shown(path), effective };
}

function lengthOf({ content, contentLength }: MemoryOperation): number | null {
  return content === undefined ? (contentLength ?? null) : charactersIn(content);
}

/** Returns the categories on the way to the target that do not exist. If it is not known what exists, all of them do. */
function missingTo(path: string, existing: readonly string[] | undefined): readonly string[] {
  if (existing === undefined) return [];
  const there = new Set(existing.map(shown));
  return pathsTo(path).filter((one) => !there.has(one));
}
