# Calls a Ruby tool as a function; started by Toolroom. It reads one JSON request on
# standard input and writes JSON lines on a descriptor of its own: events, and at last a
# result or an error.

require "json"

# What a tool may say while it works.
module Toolroom
  @lock = Mutex.new
  @owner = Process.pid

  class << self
    def progress(done, total = nil, message = nil)
      send_frame("event" => "progress", "done" => done, "total" => total, "message" => message)
    end

    def log(level, message)
      send_frame("event" => "log", "level" => level.to_s, "message" => message.to_s)
    end

    # Without a descriptor of our own, standard output is the channel and prints go to
    # standard error.
    def open_channel
      if (number = ENV.delete("TOOLROOM_CHANNEL"))
        @channel = IO.for_fd(number.to_i, "w")
      else
        @channel = $stdout.dup
        $stdout.reopen($stderr)
      end
      @channel.close_on_exec = true
      @channel.sync = true
    end

    def send_frame(frame)
      text = JSON.generate(plain(frame, "result", 0)) + "\n"
      @lock.synchronize { @channel.write(text) } if Process.pid == @owner
    rescue SystemCallError, IOError
      nil
    end

    def plain(value, path, depth)
      raise TypeError, "#{path[0, 200]} is nested too deeply" if depth > 90

      case value
      when nil, true, false, Integer then value
      when Float then value.finite? ? value : value.to_s
      when String then text(value)
      when Symbol then text(value.to_s)
      when Hash then value.to_h { |key, item| [key.to_s, plain(item, "#{path}[#{key.inspect}]", depth + 1)] }
      when Struct then plain(value.to_h, path, depth)
      when Array then value.each_with_index.map { |item, index| plain(item, "#{path}[#{index}]", depth + 1) }
      else natural(value, path, depth)
      end
    end

    def natural(value, path, depth)
      return value.iso8601 if value.respond_to?(:iso8601)
      return value.strftime("%Y-%m-%dT%H:%M:%S%:z") if value.is_a?(Time)
      return plain(value.to_a, path, depth) if value.is_a?(Enumerable)
      return value.to_path if value.respond_to?(:to_path)
      return plain(value.to_h, path, depth) if value.respond_to?(:to_h)
      return value.to_s if value.is_a?(Numeric)

      raise TypeError, "#{path} cannot be written as JSON: #{value.class}"
    end

    def text(value)
      copy = value.encoding == Encoding::BINARY ? value.dup.force_encoding("UTF-8") : value.encode("UTF-8")
      copy.valid_encoding? ? copy : { "base64" => [value].pack("m0") }
    rescue EncodingError
      { "base64" => [value].pack("m0") }
    end

    def call(request)
      path = request["tool_path"]
      $PROGRAM_NAME = path
      ARGV.clear
      $LOAD_PATH.unshift(File.dirname(path))
      load_tool(path, request["source"])
      names = request["entry"] || %w[main execute]
      name = names.find { |each| Object.private_method_defined?(each) || TOPLEVEL_BINDING.receiver.respond_to?(each, true) }
      raise NameError, "#{path} defines no method #{names.join(' or ')}" unless name

      settle(invoke(TOPLEVEL_BINDING.receiver.method(name), request))
    end

    # A text that is given stands for what is in the file.
    def load_tool(path, text)
      return load(path) unless text

      @kept = { path => text }
      return TOPLEVEL_BINDING.dup.eval(text, path, 1) unless defined?(RubyVM::InstructionSequence)

      RubyVM::InstructionSequence.compile(text, path, File.realpath(path), 1).eval
    end

    # What a parameter is called that takes everything as one hash.
    WHOLE = %w[params parameters args input inputs options opts data payload request config values hash p o].freeze

    # Parameters go to keywords if the method has any, else one by one in the method's own
    # order; all as one hash where its first parameter is called so, and to `execute`.
    def invoke(method, request)
      params = request["params"] || {}
      kinds = method.parameters.map(&:first)
      return method.call(**params.transform_keys(&:to_sym)) if kinds.any? { |kind| %i[key keyreq keyrest].include?(kind) }

      names = method.parameters.filter_map { |kind, name| name.to_s if %i[req opt].include?(kind) }
      is_named_so = WHOLE.include?(names.first) || names.first.to_s.start_with?("_")
      if method.name == :execute || (is_named_so && !params.key?(names.first))
        return method.call(*[params, request["project_path"]].first(names.size))
      end

      method.call(*in_order(method, names, params))
    end

    # An optional parameter that was left out leaves out those after it as well.
    def in_order(method, names, params)
      needed = method.parameters.filter_map { |kind, name| name.to_s if kind == :req }
      given = names.take_while { |name| params.key?(name) }
      unknown, missing, late = params.keys - names, needed - params.keys, (params.keys & names) - given
      raise ArgumentError, "#{method.name} takes no #{unknown.join(', ')}" if unknown.any?
      raise ArgumentError, "#{method.name} needs #{missing.join(', ')}" if missing.any?
      raise ArgumentError, "#{method.name} takes #{late.join(', ')} only after #{names[given.size]}" if late.any?

      params.values_at(*given)
    end

    def settle(value)
      value.is_a?(Enumerator) ? value.to_a : value
    end

    def describe(error)
      chain = []
      cause = error.cause
      while cause && chain.size < 10
        chain << { "type" => cause.class.name, "message" => cause.message }
        cause = cause.cause
      end
      { "type" => error.class.name, "message" => error.message.dup.force_encoding("UTF-8").scrub,
        "frames" => frames(error), "causes" => chain }
    end

    def frames(error)
      own = (error.backtrace_locations || []).reject { |place| place.absolute_path.nil? || place.path == __FILE__ || place.path.start_with?("<internal:") }
      found = own.first(40).reverse.map { |place| frame(place.path, place.lineno, place.label) }
      if error.is_a?(SyntaxError) && (match = /\A(.+?):(\d+):/.match(error.message))
        found << frame(match[1], match[2].to_i, nil)
      end
      found
    end

    def frame(path, line, label)
      source = begin
        lines = @kept&.key?(path) ? @kept[path].each_line : File.foreach(path)
        lines.first(line)[line - 1]&.strip
      rescue SystemCallError
        nil
      end
      { "file" => path, "line" => line, "function" => label, "source" => source }
    end
  end
end

$stdin.binmode
Toolroom.open_channel
status = 0
begin
  request = JSON.parse($stdin.read.force_encoding("UTF-8"), max_nesting: false)
  frame = { "result" => Toolroom.plain(Toolroom.call(request), "result", 0) }
rescue SystemExit => error
  status = error.status
  frame = status.zero? ? { "result" => nil } : { "error" => { "type" => "SystemExit", "message" => "exited with status #{status}" } }
rescue Exception => error # rubocop:disable Lint/RescueException
  status = error.is_a?(Interrupt) ? 130 : 1
  frame = { "error" => Toolroom.describe(error) }
end
Toolroom.send_frame(frame)
$stdout.flush
exit(status)
