# Calls a Perl tool as a function; started by Toolroom. It reads one JSON request on
# standard input and writes JSON lines on a descriptor of its own: events, and at last a
# result or an error.

package Toolroom;

# Runs a text as a file is run: seeing nothing of this one, nor its pragmas.
sub run_text { package main; CORE::evalbytes($_[0]) }

use strict;
use warnings;
use JSON::PP ();

my $json = JSON::PP->new->utf8->allow_nonref->canonical;
my $owner = $$;
my $replied;
my $channel;
my %kept;

sub progress {
    my ($done, $total, $message) = @_;
    send_frame({ event => 'progress', done => $done + 0, total => defined $total ? $total + 0 : undef, message => $message });
}

sub log {
    my ($level, $message) = @_;
    send_frame({ event => 'log', level => "$level", message => "$message" });
}

# Without a descriptor of our own, standard output is the channel and prints go to
# standard error.
sub open_channel {
    my $number = delete $ENV{TOOLROOM_CHANNEL};
    if (defined $number) {
        open($channel, '>&', $number) or die "no channel: $!\n";
        require POSIX;
        POSIX::close($number);
    } else {
        open($channel, '>&', \*STDOUT) or die "no channel: $!\n";
        open(STDOUT, '>&', \*STDERR) or die "no output: $!\n";
    }
    my $before = select($channel);
    $| = 1;
    select($before);
}

sub send_frame {
    my ($frame) = @_;
    return if $$ != $owner;
    local $SIG{PIPE} = 'IGNORE';
    print {$channel} $json->encode(plain($frame, 'result', 0)), "\n";
}

sub plain {
    my ($value, $path, $depth) = @_;
    my $kind = ref $value;
    die substr($path, 0, 200) . " is nested too deeply\n" if $depth > 90;
    return text($value) if $kind eq '';
    return $value if JSON::PP::is_bool($value) || $kind =~ /^Math::Big(Int|Float)$/;
    return $$value ? JSON::PP::true() : JSON::PP::false() if $kind eq 'SCALAR' && defined $$value && $$value =~ /^[01]$/;
    return { map { $_ => plain($value->{$_}, "$path\{$_\}", $depth + 1) } keys %$value } if $kind eq 'HASH';
    return [ map { plain($value->[$_], "$path\[$_\]", $depth + 1) } 0 .. $#$value ] if $kind eq 'ARRAY';
    return plain($value->TO_JSON, $path, $depth + 1) if eval { $value->can('TO_JSON') };
    die "$path cannot be written as JSON: $kind\n";
}

# Bytes are text if they are UTF-8; numbers that JSON lacks go by their names.
sub text {
    my ($value) = @_;
    return $value unless defined $value;
    return 'NaN' if $value eq 'NaN' || $value eq 'nan';
    return 'Infinity' if $value eq 'Inf' || $value eq 'inf';
    return '-Infinity' if $value eq '-Inf' || $value eq '-inf';
    return $value if utf8::is_utf8($value) || $value !~ /[\x80-\xff]/;
    my $copy = $value;
    return $copy if utf8::decode($copy);
    require MIME::Base64;
    return { base64 => MIME::Base64::encode_base64($value, '') };
}

sub call {
    my ($request) = @_;
    # The system's names are bytes; a name of characters makes Perl complain.
    my $path = $request->{tool_path};
    utf8::encode($path);
    my ($directory) = $path =~ m{^(.*)[/\\]};
    unshift @INC, $directory if defined $directory;
    local @ARGV = ();
    $0 = $path;
    {
        package main;
        local ($@, $!);
        my $text = $request->{source};
        my $loaded = defined $text ? Toolroom::run_kept($path, $text) : do $path;
        die $@ if $@;
        die "cannot read $path: $!\n" if !defined $loaded && $! && !-r $path;
    }
    my @names = @{ $request->{entry} || [ 'main', 'execute' ] };
    my $params = $request->{params} || {};
    for my $name (@names) {
        my $function = main->can($name) or next;
        my @results = $name eq 'execute'
            ? $function->($params, $request->{project_path})
            : $function->(%$params);
        return @results > 1 ? \@results : $results[0];
    }
    die "$path defines no function " . join(' or ', @names) . "\n";
}

# Runs a text in place of what is in the file.
sub run_kept {
    my ($path, $text) = @_;
    utf8::encode($text);
    if ($text =~ /^__(?:END|DATA)__\r?\n(.*)\z/ms) {
        my $data = $1;
        no warnings 'once';
        open(main::DATA, '<', \$data) or die "no data: $!\n";
    }
    $kept{$path} = $text;
    return run_text("#line 1 \"$path\"\n$text");
}

# The calls that led to a die, outermost first, without those of this file.
sub frames {
    my @found;
    for (my $depth = 1; $depth < 60; $depth++) {
        my (undef, $file, $line, $function) = caller($depth) or last;
        next if $file eq __FILE__ || $file =~ /^\(eval/;
        my (undef, undef, undef, $inside) = caller($depth + 1);
        unshift @found, frame($file, $line, $inside);
    }
    return \@found;
}

sub frame {
    my ($file, $line, $function) = @_;
    my $source;
    if (open(my $handle, '<', defined $kept{$file} ? \$kept{$file} : $file)) {
        while (<$handle>) {
            if ($. == $line) { s/^\s+|\s+$//g; $source = $_; last }
        }
    }
    $function = undef if defined $function && $function =~ /^(Toolroom::|\(eval)/;
    return { file => $file, line => $line + 0, function => $function, source => $source };
}

sub describe {
    my ($error, $frames) = @_;
    my $kind = ref $error || 'die';
    my $message = "$error";
    if (!ref $error && $message =~ s/ at (\S+) line (\d+)\.\n\z// && !@$frames) {
        $frames = [ frame($1, $2) ];
    }
    $message =~ s/\n\z//;
    return { type => $kind, message => $message, frames => $frames };
}

sub serve {
    open_channel();
    my $frames = [];
    my $result = eval {
        local $/;
        binmode STDIN;
        my $request = JSON::PP->new->utf8->allow_bignum->max_depth(4096)->decode(scalar <STDIN>);
        local $SIG{__DIE__} = sub { $frames = frames() };
        my $value = call($request);
        { value => plain($value, 'result', 0) };
    };
    my $error = $@;
    $replied = 1;
    if ($result) {
        send_frame({ result => $result->{value} });
        exit 0;
    }
    send_frame({ error => describe($error, $frames) });
    exit 1;
}

END {
    if (!$replied && $$ == $owner) {
        send_frame({ error => { type => 'ToolEnded', message => "exited with status $? before it returned" } });
    }
}

serve();
