/**
 * The components of an Open Agent Spec document. A component is written where it is used, or once under
 * `$referenced_components` and is then referred to by `$component_ref`.
 */
import type { ImportFields } from '../import-fields.ts';
import { type Path, quoted } from '../import-notes.ts';
import { isMap, type Json } from '../json-value.ts';

export type Component = {
  type: string;
  name: string;
  fields: ImportFields;
  /** The components to which this component may refer, the innermost first. */
  scopes: readonly ImportFields[];
};

/** The deepest chain of references. */
const MOST_REFERENCES = 32;

export class SpecComponents {
  /** Each component is kept once, so that its unknown fields are reported once. */
  readonly #opened = new Map<object, Component>();

  root(fields: ImportFields): Component | null {
    const referenced = fields.map('$referenced_components');
    const scopes = referenced === null ? [] : [referenced];
    fields.any('agentspec_version');
    const reference = fields.text('$component_ref');
    return reference === null
      ? this.#open(fields, scopes)
      : this.#named(reference, fields.at('$component_ref'), fields, scopes);
  }

  /** Returns the component in a field. Null if the field is absent, or after a fault. */
  in(parent: Component, name: string): Component | null {
    return this.#at(parent.fields.any(name), [name], parent);
  }

  /** Returns the components in a list. */
  listed(parent: Component, name: string): Component[] {
    return (parent.fields.list(name) ?? []).flatMap((value, at) => this.#at(value, [name, at], parent) ?? []);
  }

  /** Returns the component of a value at a path within the parent. */
  of(value: Json | undefined, path: Path, parent: Component): Component | null {
    return this.#at(value, path, parent);
  }

  #at(value: Json | undefined, path: Path, { fields, scopes }: Component): Component | null {
    if (value === undefined || value === null) return null;
    if (!isMap(value)) {
      fields.notes.fault('TYPE_WRONG', fields.file, [...fields.path, ...path], 'must be a component');
      return null;
    }
    const reference = value.$component_ref;
    if (typeof reference === 'string')
      return this.#named(reference, [...fields.path, ...path], fields, scopes);
    return this.#open(fields.within(value, path), scopes);
  }

  #named(
    reference: string,
    from: Path,
    { file, notes }: ImportFields,
    scopes: readonly ImportFields[],
  ): Component | null {
    let wanted = reference;
    for (let count = 0; count < MOST_REFERENCES; count++) {
      const scope = scopes.find(({ value }) => Object.hasOwn(value, wanted));
      if (scope === undefined) {
        notes.fault('REFERENCE_MISSING', file, from, `${quoted(wanted)} is no component of this file`);
        return null;
      }
      const fields = scope.map(wanted);
      if (fields === null) return null;
      const next = fields.value.$component_ref;
      if (typeof next !== 'string') return this.#open(fields, scopes);
      wanted = next;
    }
    notes.fault('REFERENCE_CYCLE', file, from, `${quoted(reference)} leads back to itself`);
    return null;
  }

  #open(fields: ImportFields, scopes: readonly ImportFields[]): Component {
    const known = this.#opened.get(fields.value);
    if (known !== undefined) return known;
    const own = fields.map('$referenced_components');
    for (const field of [
      'id',
      'metadata',
      'agentspec_version',
      'component_plugin_name',
      'component_plugin_version',
    ])
      fields.any(field);
    const type = fields.text('component_type') ?? '';
    const name = fields.text('name') ?? fields.text('id') ?? type;
    const isNew = own !== null && own.value !== scopes[0]?.value;
    const component = { type, name, fields, scopes: isNew ? [own, ...scopes] : scopes };
    this.#opened.set(fields.value, component);
    return component;
  }
}
