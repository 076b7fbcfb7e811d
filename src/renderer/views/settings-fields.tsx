import { showToast } from '../state/ui-store.ts';
import { Field, inputClass } from '../ui/field.tsx';

type NumberProps = {
  label: string;
  hint?: string;
  value: number;
  max: number;
  onSave: (value: number) => void;
};
type OptionalProps = Omit<NumberProps, 'value' | 'onSave'> & {
  value: number | undefined;
  onSave: (value: number | undefined) => void;
};

/** Saved when it is left; what is out of bounds goes back to what it was, and says so. */
export function NumberField({ onSave, ...props }: NumberProps) {
  return <OptionalNumberField {...props} required onSave={(value) => value !== undefined && onSave(value)} />;
}

/** As `NumberField`; empty is no limit. */
export function OptionalNumberField({
  label,
  hint,
  value,
  max,
  required = false,
  onSave,
}: OptionalProps & { required?: boolean }) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      <input
        key={value ?? 'none'}
        className={inputClass}
        type="number"
        min={1}
        max={max}
        defaultValue={value}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        onBlur={(event) => {
          const isEmpty = event.target.value === '' && event.target.validity.valid;
          const next = isEmpty && !required ? undefined : event.target.valueAsNumber;
          const isBad = next !== undefined && (!Number.isInteger(next) || next < 1 || next > max);
          if (isBad) {
            event.target.value = `${value ?? ''}`;
            showToast(
              'warning',
              `${label}: it takes a whole number from 1 to ${max} and stays ${value ?? 'without a limit'}.`,
            );
          } else if (next !== value) onSave(next);
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
  /** False where it was refused. */
  onSave: (value: string) => Promise<boolean>;
};

/** Saved when it is left; what is refused goes back to what it was. */
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
        onBlur={async ({ target }) => {
          const next = target.value.trim();
          if (next !== value && !(await onSave(next))) target.value = value;
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
