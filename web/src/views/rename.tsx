/** A name that is changed where it stands. */

export interface RenameProps {
  label: string;
  name: string;
  longest: number;
  onName(name: string): void;
  onDone(): void;
}

/** A page that already has a focus ignores `autofocus`. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

export function Rename({ label, name, longest, onName, onDone }: RenameProps) {
  return (
    <input
      aria-label={label}
      class="rename"
      defaultValue={name}
      maxLength={longest}
      onBlur={onDone}
      onFocus={(event) => event.currentTarget.select()}
      onKeyDown={(event) => {
        if (event.isComposing || (event.key !== "Escape" && event.key !== "Enter")) return;
        event.preventDefault();
        const wanted = event.currentTarget.value.trim();
        if (event.key === "Enter" && wanted !== name) onName(wanted);
        onDone();
      }}
      ref={takeFocus}
    />
  );
}
