/** Returns the form of a sensitive field's name for comparisons. It has no capitals, `_`, `-`, `.` and blanks. */
export function sensitiveFieldName(name: string): string {
  return name.toLowerCase().replace(/[_.\-\s]/g, '');
}
