<?php
// Calls a PHP tool as a function; started by Toolroom. It reads one JSON request on
// standard input and writes JSON lines on a descriptor of its own: events, and at last
// a result or an error.

final class Toolroom
{
    /** @var resource */
    private static $channel;
    private static bool $replied = false;

    public static function progress(float $done, ?float $total = null, ?string $message = null): void
    {
        self::send(['event' => 'progress', 'done' => $done, 'total' => $total, 'message' => $message]);
    }

    public static function log(string $level, string $message): void
    {
        self::send(['event' => 'log', 'level' => $level, 'message' => $message]);
    }

    public static function serve(): void
    {
        self::openChannel();
        ini_set('display_errors', 'stderr');
        register_shutdown_function([self::class, 'ended']);
        $status = 0;
        try {
            $request = json_decode(stream_get_contents(STDIN), true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
            self::reply(['result' => self::plain(self::call($request), 'result', 0)]);
        } catch (Throwable $error) {
            $status = 1;
            self::reply(['error' => self::describe($error)]);
        }
        exit($status);
    }

    /** Tells of an end that came while the tool was still at work. */
    public static function ended(): void
    {
        if (self::$replied) {
            return;
        }
        $last = error_get_last();
        $fatal = $last !== null && ($last['type'] & (E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR));
        $frames = $fatal ? [self::frame($last['file'], $last['line'], null)] : [];
        $message = $fatal ? $last['message'] : 'ended before it returned';
        self::reply(['error' => ['type' => $fatal ? 'FatalError' : 'ToolEnded', 'message' => $message, 'frames' => $frames]]);
    }

    /** Without a descriptor of our own, standard output is the channel and what the
     * tool prints goes to standard error. */
    private static function openChannel(): void
    {
        $number = getenv('TOOLROOM_CHANNEL');
        putenv('TOOLROOM_CHANNEL');
        unset($_ENV['TOOLROOM_CHANNEL'], $_SERVER['TOOLROOM_CHANNEL']);
        if ($number !== false) {
            self::$channel = fopen("php://fd/$number", 'w');
        } else {
            self::$channel = STDOUT;
            ob_start(fn (string $text) => fwrite(STDERR, $text) === false ? '' : '', 1);
        }
    }

    private static function reply(array $frame): void
    {
        if (!self::$replied) {
            self::$replied = true;
            self::send($frame);
        }
    }

    private static function send(array $frame): void
    {
        $options = JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION | JSON_INVALID_UTF8_SUBSTITUTE;
        $text = json_encode($frame, $options);
        if ($text === false) {
            $text = json_encode(['error' => ['type' => 'JsonException', 'message' => json_last_error_msg()]]);
        }
        fwrite(self::$channel, $text . "\n");
        fflush(self::$channel);
    }

    private static function call(array $request): mixed
    {
        $path = $request['tool_path'];
        $GLOBALS['argv'] = $_SERVER['argv'] = [$path];
        chdir(getcwd());
        set_include_path(dirname($path) . PATH_SEPARATOR . get_include_path());
        if (isset($request['source'])) {
            ToolroomText::standFor($path, $request['source']);
        }
        (static function () use ($path) {
            require $path;
        })();
        $names = $request['entry'] ?? ['main', 'execute'];
        foreach ($names as $name) {
            if (function_exists($name)) {
                return self::settle($name(...self::arguments(new ReflectionFunction($name), $request)));
            }
        }
        throw new RuntimeException("$path defines no function " . implode(' or ', $names));
    }

    /** By name, or as one array if the first parameter is $params. */
    private static function arguments(ReflectionFunction $function, array $request): array
    {
        $params = $request['params'] ?? [];
        $names = array_map(fn ($each) => $each->getName(), $function->getParameters());
        $isWhole = $function->getName() === 'execute' || !array_key_exists('params', $params);
        if (($names[0] ?? null) === 'params' && $isWhole) {
            return array_slice([$params, $request['project_path'] ?? null], 0, count($names));
        }
        return $params;
    }

    private static function settle(mixed $value): mixed
    {
        if (!$value instanceof Generator) {
            return $value;
        }
        $items = iterator_to_array($value, false);
        return $value->getReturn() ?? $items;
    }

    private static function plain(mixed $value, string $path, int $depth): mixed
    {
        if ($depth > 500) {
            throw new TypeError(substr($path, 0, 200) . ' is nested too deeply');
        }
        if ($value === null || is_bool($value) || is_int($value)) {
            return $value;
        }
        if (is_float($value)) {
            return is_finite($value) ? $value : (is_nan($value) ? 'NaN' : ($value > 0 ? 'Infinity' : '-Infinity'));
        }
        if (is_string($value)) {
            return preg_match('//u', $value) ? $value : ['base64' => base64_encode($value)];
        }
        if (is_array($value)) {
            foreach ($value as $key => $item) {
                $value[$key] = self::plain($item, $path . '[' . json_encode($key) . ']', $depth + 1);
            }
            return $value;
        }
        return self::natural($value, $path, $depth);
    }

    private static function natural(mixed $value, string $path, int $depth): mixed
    {
        return match (true) {
            $value instanceof BackedEnum => $value->value,
            $value instanceof UnitEnum => $value->name,
            $value instanceof DateTimeInterface => $value->format(DATE_ATOM),
            $value instanceof JsonSerializable => self::plain($value->jsonSerialize(), $path, $depth + 1),
            $value instanceof Traversable => self::plain(iterator_to_array($value), $path, $depth + 1),
            $value instanceof Stringable => (string) $value,
            $value instanceof stdClass => (object) self::plain((array) $value, $path, $depth + 1),
            default => throw new TypeError("$path cannot be written as JSON: " . get_debug_type($value)),
        };
    }

    private static function describe(Throwable $error): array
    {
        $causes = [];
        for ($cause = $error->getPrevious(); $cause !== null && count($causes) < 10; $cause = $cause->getPrevious()) {
            $causes[] = ['type' => $cause::class, 'message' => $cause->getMessage()];
        }
        return ['type' => $error::class, 'message' => $error->getMessage(), 'frames' => self::frames($error), 'causes' => $causes];
    }

    /** A trace names where each function was called from; its own line is one step off. */
    private static function frames(Throwable $error): array
    {
        $found = [];
        $place = ['file' => $error->getFile(), 'line' => $error->getLine()];
        foreach (array_slice($error->getTrace(), 0, 40) as $step) {
            $found[] = self::frame($place['file'] ?? '', $place['line'] ?? 0, $step['function']);
            $place = $step;
        }
        $own = array_filter($found, fn ($each) => $each['file'] !== '' && $each['file'] !== __FILE__);
        return array_reverse(array_values($own));
    }

    private static function frame(string $file, int $line, ?string $function): array
    {
        $kept = $file === ToolroomText::$path ? explode("\n", ToolroomText::$text) : null;
        $lines = $kept ?? ($file !== __FILE__ && is_file($file) ? @file($file) : false);
        $source = $lines === false ? null : trim($lines[$line - 1] ?? '');
        return ['file' => $file, 'line' => $line, 'function' => $function, 'source' => $source ?: null];
    }
}

/** A text in place of what is in the tool's file, for the one time that it is read. */
final class ToolroomText
{
    public static ?string $path = null;
    public static string $text = '';
    /** @var resource|null */
    public $context;
    private int $at = 0;

    public static function standFor(string $path, string $text): void
    {
        [self::$path, self::$text] = [$path, $text];
        // What was compiled before is of the file.
        ini_set('opcache.enable', '0');
        stream_wrapper_unregister('file');
        stream_wrapper_register('file', self::class);
    }

    public function stream_open(string $path, string $mode, int $options, ?string &$opened): bool
    {
        stream_wrapper_restore('file');
        $opened = $path;
        return $path === self::$path;
    }

    public function stream_read(int $count): string
    {
        $part = substr(self::$text, $this->at, $count);
        $this->at += strlen($part);
        return $part;
    }

    public function stream_eof(): bool
    {
        return $this->at >= strlen(self::$text);
    }

    public function stream_stat(): array
    {
        return ['size' => strlen(self::$text), 'mode' => 0100400];
    }

    public function stream_set_option(int $option, int $first, int $second): bool
    {
        return false;
    }
}

Toolroom::serve();
