/**
 * The long names of Unicode's general categories that ECMAScript accepts in `\p{…}`, with the short names that RE2
 * knows. Source: PropertyValueAliases.txt of the Unicode Character Database, property gc.
 */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  Letter: 'L',
  Cased_Letter: 'LC',
  Uppercase_Letter: 'Lu',
  Lowercase_Letter: 'Ll',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Combining_Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Enclosing_Mark: 'Me',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  punct: 'P',
  Connector_Punctuation: 'Pc',
  Dash_Punctuation: 'Pd',
  Open_Punctuation: 'Ps',
  Close_Punctuation: 'Pe',
  Initial_Punctuation: 'Pi',
  Final_Punctuation: 'Pf',
  Other_Punctuation: 'Po',
  Symbol: 'S',
  Math_Symbol: 'Sm',
  Currency_Symbol: 'Sc',
  Modifier_Symbol: 'Sk',
  Other_Symbol: 'So',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Line_Separator: 'Zl',
  Paragraph_Separator: 'Zp',
  Other: 'C',
  Control: 'Cc',
  cntrl: 'Cc',
  Format: 'Cf',
  Surrogate: 'Cs',
  Private_Use: 'Co',
  Unassigned: 'Cn',
};

/**
 * Returns the class in the form that RE2 knows: `\p{L}` for `\p{Letter}` and `\p{gc=Letter}`, and `\p{Greek}` for
 * `\p{Script=Greek}`. Other classes stay unchanged.
 */
export function shortClass(token: string): string {
  return token.replace(/\{(?:([^}=]*)=)?([^}]*)\}/, (_whole, property = '', name = '') => {
    const isScript = property === 'Script' || property === 'sc';
    const short = Object.hasOwn(SHORT_NAMES, name) && !isScript ? SHORT_NAMES[name] : name;
    return ['', 'Script', 'sc', 'General_Category', 'gc'].includes(property)
      ? `{${short}}`
      : `{${property}=${name}}`;
  });
}
