import { Field, inputClass } from '../ui/field.tsx';

type NumberProps = { label: string; value: number; max: number; onSave: (value: number) => void };

/** Saved when it is left; what is out of bounds goes back to what it was. */
export function NumberField({ label, value, max, onSave }: NumberProps) {
  return (
    <Field label={label}>
      <input
        key={value}
        className={inputClass}
        type="number"
        min={1}
        max={max}
        defaultValue={value}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        onBlur={(event) => {
          const next = event.target.valueAsNumber;
          if (!Number.isInteger(next) || next < 1 || next > max) event.target.value = `${value}`;
          else if (next !== value) onSave(next);
        }}
      />
    </Field>
  );
}

type TextProps = {
  label: string;
  hint: string;
  value: string;
  options?: readonly string[];
  onSave: (value: string) => void;
};

/** Saved when it is left. */
export function TextField({ label, hint, value, options, onSave }: TextProps) {
  return (
    <Field label={label} hint={hint}>
      <input
        key={value}
        className={inputClass}
        defaultValue={value}
        list={options && 'agent-ids'}
        spellCheck={false}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        onBlur={(event) => {
          const next = event.target.value.trim();
          if (next !== value) onSave(next);
        }}
      />
      {options && (
        <datalist id="agent-ids">
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </Field>
  );
}
