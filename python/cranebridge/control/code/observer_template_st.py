"""The observer's part of a controller's Structured Text; ``$NAME`` is filled in by `observer_st`.

It does what ``OBSERVER`` of :mod:`cranebridge.control.code.controller_template_c` does, sum by sum
in the same order: a change there belongs here, too. Matrices stand column by column in arrays.
"""

STATE = """\
    Started : BOOL := FALSE;
    Sound : BOOL;
    Sensor : DINT;
    Due : DINT;
    Taken : DINT;
    Row : DINT;
    Col : DINT;
    Inner : DINT;
    Power : DINT;
    Phase : DINT;
    Spread : $TYPE;
    Surprise : $TYPE; (* standard deviations that a reading is off, squared *)
    Difference : $TYPE;
    Weight : $TYPE;
    Span : $TYPE;
    Waiting : ARRAY[0..$LAST_SENSOR] OF DINT; (* samples until a sensor is read *)
    Refused : ARRAY[0..$LAST_SENSOR] OF DINT; (* readings in a row *)
    Reading : ARRAY[0..$LAST_SENSOR] OF $TYPE;
    Expected : ARRAY[0..$LAST_SENSOR] OF $TYPE;
    Slope : ARRAY[0..$LAST_SLOPE] OF $TYPE;
    Place : ARRAY[0..$LAST_COORDINATE] OF $TYPE; (* the estimate *)
    Speed : ARRAY[0..$LAST_COORDINATE] OF $TYPE;
    Disturbance : ARRAY[0..$LAST_DISTURBANCE] OF $TYPE;
    NewPlace : ARRAY[0..$LAST_COORDINATE] OF $TYPE;
    NewSpeed : ARRAY[0..$LAST_COORDINATE] OF $TYPE;
    NewDisturbance : ARRAY[0..$LAST_DISTURBANCE] OF $TYPE;
    Covariance : ARRAY[0..$LAST_ENTRY] OF $TYPE;
    NewCovariance : ARRAY[0..$LAST_ENTRY] OF $TYPE;
    Change : ARRAY[0..$LAST_STATE] OF $TYPE;
    Share : ARRAY[0..$LAST_STATE] OF $TYPE;
    Rate : ARRAY[0..$LAST_RATE] OF $TYPE;
    Transition : ARRAY[0..$LAST_ENTRY] OF $TYPE;
    Product : ARRAY[0..$LAST_ENTRY] OF $TYPE;
    Term : ARRAY[0..$LAST_MOVING] OF $TYPE;
    NextTerm : ARRAY[0..$LAST_MOVING] OF $TYPE;
    Acting : ARRAY[0..$LAST_ACTING] OF $TYPE; (* inputs given, the newest first *)
    Drive : ARRAY[0..$LAST_INPUT] OF $TYPE;
$WORK
"""

TABLES = """\
    SensorEvery : ARRAY[0..$LAST_SENSOR] OF DINT := [$EVERY]; (* samples from reading to reading *)
    Patience : ARRAY[0..$LAST_SENSOR] OF DINT := [$PATIENCE]; (* refused in a row, then taken *)
    Relative : ARRAY[0..$LAST_DISTURBANCE] OF DINT := [$RELATIVE]; (* 1: never negative *)
    Noise : ARRAY[0..$LAST_SENSOR] OF $TYPE := [
$NOISE];
    Growth : ARRAY[0..$LAST_STATE] OF $TYPE := [
$GROWTH];
    Variance : ARRAY[0..$LAST_STATE] OF $TYPE := [
$VARIANCE];
    FirstPlace : ARRAY[0..$LAST_COORDINATE] OF $TYPE := [
$PLACE];
    FirstSpeed : ARRAY[0..$LAST_COORDINATE] OF $TYPE := [
$SPEED];
    FirstDisturbance : ARRAY[0..$LAST_DISTURBANCE] OF $TYPE := [
$DISTURBANCE];
    FirstHold : ARRAY[0..$LAST_INPUT] OF $TYPE := [
$HOLD];
    PhaseFrom : ARRAY[0..$LAST_MOVE] OF DINT := [$MOVE_FROM]; (* inputs that act *)
    PhaseTime : ARRAY[0..$LAST_MOVE] OF $TYPE := [
$MOVE_TIME];
"""

START = """\
    Started := TRUE;
    FOR Row := 0 TO $LAST_SENSOR DO
        Waiting[Row] := 0;
        Refused[Row] := 0;
    END_FOR;
    FOR Row := 0 TO $LAST_COORDINATE DO
        Place[Row] := FirstPlace[Row];
        Speed[Row] := FirstSpeed[Row];
    END_FOR;
    FOR Row := 0 TO $LAST_DISTURBANCE DO
        Disturbance[Row] := FirstDisturbance[Row];
        NewDisturbance[Row] := 0.0;
    END_FOR;
    FOR Row := 0 TO $LAST_ENTRY DO
        Covariance[Row] := 0.0;
    END_FOR;
    FOR Row := 0 TO $LAST_STATE DO
        Covariance[Row * $NEXT_DIAGONAL] := Variance[Row];
    END_FOR;$TOGETHER
    FOR Row := 0 TO $LAST_ACTING DO
        Acting[Row] := 0.0;
    END_FOR;
    FOR Row := 0 TO $WAYS - 1 DO
        FOR Col := 0 TO $LAST_INPUT DO
            Acting[Row * $INPUTS + Col] := FirstHold[Col];
        END_FOR;
    END_FOR;
"""

LOOK = """\
$READ
    (* what the sensors would say of the estimate, and how that changes with it *)
$READINGS
    FOR Row := 0 TO $LAST_STATE DO
        Change[Row] := 0.0;
    END_FOR;
    FOR Row := 0 TO $LAST_ENTRY DO
        NewCovariance[Row] := Covariance[Row];
    END_FOR;
    (* one reading after the other, those that are due *)
    Due := 0;
    Taken := 0;
    FOR Sensor := 0 TO $LAST_SENSOR DO
        IF Waiting[Sensor] > 0 THEN
            Waiting[Sensor] := Waiting[Sensor] - 1;
        ELSE
            Waiting[Sensor] := SensorEvery[Sensor] - 1;
            Due := Due + 1;
            Sound := TRUE;
            (* not a number is neither more nor less *)
            IF NOT (Reading[Sensor] >= -Largest) THEN Sound := FALSE; END_IF;
            IF Reading[Sensor] > Largest THEN Sound := FALSE; END_IF;
            IF Sound THEN
                FOR Row := 0 TO $LAST_STATE DO
                    Share[Row] := 0.0;
                END_FOR;
                FOR Col := 0 TO $LAST_STATE DO
                    Weight := Slope[Col * $SENSORS + Sensor];
                    IF Weight <> 0.0 THEN
                        FOR Row := 0 TO $LAST_STATE DO
                            Share[Row] := Share[Row] + NewCovariance[Col * $STATES + Row] * Weight;
                        END_FOR;
                    END_IF;
                END_FOR;
                Spread := Noise[Sensor];
                Difference := Reading[Sensor] - Expected[Sensor];
                FOR Row := 0 TO $LAST_STATE DO
                    Spread := Spread + Slope[Row * $SENSORS + Sensor] * Share[Row];
                    Difference := Difference - Slope[Row * $SENSORS + Sensor] * Change[Row];
                END_FOR;
                Surprise := Difference * Difference * (1.0 / Spread);
            END_IF;
            IF Sound AND (Surprise <= $GATE) THEN
                Taken := Taken + 1;
                Refused[Sensor] := 0;
            ELSE
                IF Refused[Sensor] < Patience[Sensor] THEN
                    Refused[Sensor] := Refused[Sensor] + 1;
                    Sound := FALSE;
                END_IF;
                IF NOT (Surprise <= $IMPOSSIBLE) THEN Sound := FALSE; END_IF;
                IF Sound THEN
                    (* refused for long: the estimate itself may be wrong, and is then as wrong as
                       the reading says *)
                    FOR Row := 0 TO $LAST_ENTRY DO
                        NewCovariance[Row] := NewCovariance[Row] * Surprise;
                    END_FOR;
                    FOR Row := 0 TO $LAST_STATE DO
                        Share[Row] := Share[Row] * Surprise;
                    END_FOR;
                    Spread := Noise[Sensor] + Surprise * (Spread - Noise[Sensor]);
                END_IF;
            END_IF;
            IF Sound THEN
                FOR Row := 0 TO $LAST_STATE DO
                    Weight := 1.0 / Spread * Share[Row];
                    Change[Row] := Change[Row] + Weight * Difference;
                    FOR Col := 0 TO $LAST_STATE DO
                        NewCovariance[Row * $STATES + Col] :=
                            NewCovariance[Row * $STATES + Col] - Weight * Share[Col];
                    END_FOR;
                END_FOR;
            END_IF;
        END_IF;
    END_FOR;
    Lost := Taken < Due;
    IF (Due > 0) AND (Taken < 1) THEN Error := TRUE; END_IF;
    (* a correction that leads nowhere is not made *)
$CORRECT
    FOR Row := 0 TO $LAST_ESTIMATED DO
        IF Relative[Row] > 0 THEN
            Weight := NewDisturbance[Row] / Disturbance[Row];
            FOR Col := 0 TO $LAST_STATE DO
                NewCovariance[($MOVING + Row) * $STATES + Col] :=
                    NewCovariance[($MOVING + Row) * $STATES + Col] * Weight;
                NewCovariance[Col * $STATES + $MOVING + Row] :=
                    NewCovariance[Col * $STATES + $MOVING + Row] * Weight;
            END_FOR;
        END_IF;
    END_FOR;
    Sound := TRUE;
$CHECK_STATE
$CHECK_DISTURBANCE
$CHECK_COVARIANCE
    IF Sound THEN
        FOR Row := 0 TO $LAST_COORDINATE DO
            Place[Row] := NewPlace[Row];
            Speed[Row] := NewSpeed[Row];
        END_FOR;
        FOR Row := 0 TO $LAST_ESTIMATED DO
            Disturbance[Row] := NewDisturbance[Row];
        END_FOR;
        FOR Row := 0 TO $LAST_STATE DO
            FOR Col := Row TO $LAST_STATE DO
                Covariance[Row * $STATES + Col] := NewCovariance[Row * $STATES + Col];
                Covariance[Col * $STATES + Row] := NewCovariance[Row * $STATES + Col];
            END_FOR;
        END_FOR;
    ELSE
        Error := TRUE;
    END_IF;
$SIGNALS"""

PREDICT = """\
    (* the estimate at the next sample, with the inputs that act until then *)
    FOR Row := $LAST_ACTING TO $INPUTS BY -1 DO
        Acting[Row] := Acting[Row - $INPUTS];
    END_FOR;
$GIVE
    FOR Phase := 0 TO $LAST_MOVE DO
        Span := PhaseTime[Phase];
        FOR Row := 0 TO $LAST_INPUT DO
            Drive[Row] := Acting[PhaseFrom[Phase] + Row];
        END_FOR;
$MOVE
        (* F = I + h A + (h A)^2 / 2 + (h A)^3 / 6, F P F^T + growth *)
        FOR Col := 0 TO $LAST_STATE DO
            FOR Row := 0 TO $LAST_STATE DO
                Transition[Col * $STATES + Row] := 0.0;
            END_FOR;
            Transition[Col * $NEXT_DIAGONAL] := 1.0;
            FOR Row := 0 TO $LAST_MOVING DO
                Term[Row] := Span * Rate[Col * $MOVING + Row];
                Transition[Col * $STATES + Row] := Transition[Col * $STATES + Row] + Term[Row];
            END_FOR;
            Weight := 1.0;
            FOR Power := 2 TO 3 DO
                Weight := Weight + 1.0;
                FOR Row := 0 TO $LAST_MOVING DO
                    NextTerm[Row] := 0.0;
                END_FOR;
                FOR Inner := 0 TO $LAST_MOVING DO
                    Difference := Span / Weight * Term[Inner];
                    FOR Row := 0 TO $LAST_MOVING DO
                        NextTerm[Row] := NextTerm[Row] + Rate[Inner * $MOVING + Row] * Difference;
                    END_FOR;
                END_FOR;
                FOR Row := 0 TO $LAST_MOVING DO
                    Term[Row] := NextTerm[Row];
                    Transition[Col * $STATES + Row] := Transition[Col * $STATES + Row] + Term[Row];
                END_FOR;
            END_FOR;
        END_FOR;
        FOR Col := 0 TO $LAST_STATE DO
            FOR Row := 0 TO $LAST_STATE DO
                Difference := 0.0;
                FOR Inner := 0 TO $LAST_STATE DO
                    Difference := Difference
                        + Transition[Inner * $STATES + Row] * Covariance[Col * $STATES + Inner];
                END_FOR;
                Product[Col * $STATES + Row] := Difference;
            END_FOR;
        END_FOR;
        FOR Row := 0 TO $LAST_STATE DO
            FOR Col := 0 TO $LAST_STATE DO
                Difference := 0.0;
                IF Row = Col THEN Difference := Growth[Row] * (Span / $CYCLE); END_IF;
                FOR Inner := 0 TO $LAST_STATE DO
                    Difference := Difference
                        + Product[Inner * $STATES + Row] * Transition[Inner * $STATES + Col];
                END_FOR;
                NewCovariance[Row * $STATES + Col] := Difference;
            END_FOR;
        END_FOR;
        Sound := TRUE;
$CHECK_STATE$CHECK_MOVED
$CHECK_COVARIANCE
        IF Sound THEN
            FOR Row := 0 TO $LAST_COORDINATE DO
                Place[Row] := NewPlace[Row];
                Speed[Row] := NewSpeed[Row];
            END_FOR;$TAKE_MOVED
            FOR Row := 0 TO $LAST_ENTRY DO
                Covariance[Row] := NewCovariance[Row];
            END_FOR;
        END_IF;
    END_FOR;"""
