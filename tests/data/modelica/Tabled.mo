package Tabled "A table whose data a C function would interpolate"
  class TableObject
    extends ExternalObject;
    function constructor
      input String fileName;
      input String tableName;
      input Real table[:, :];
      input Real startTime;
      input Integer columns[:];
      input Integer smoothness;
      input Integer extrapolation;
      input Real shiftTime;
      input Integer timeEvents;
      input Boolean verbose;
      output TableObject object;
      external "C" object = ModelicaStandardTables_CombiTimeTable_init2(fileName, tableName,
        table, size(table, 1), size(table, 2), startTime, columns, size(columns, 1), smoothness,
        extrapolation, shiftTime, timeEvents, verbose);
    end constructor;
    function destructor
      input TableObject object;
      external "C" ModelicaStandardTables_CombiTimeTable_close(object);
    end destructor;
  end TableObject;
  function valueOf
    input TableObject object;
    input Integer column;
    input Real time_;
    input Real next;
    input Real before;
    output Real y;
    external "C" y = ModelicaStandardTables_CombiTimeTable_getValue(object, column, time_, next,
      before);
  end valueOf;
  block Table
    parameter Boolean tableOnFile = false;
    parameter String fileName = "NoName", tableName = "NoName";
    parameter Real table[:, :] = [0, 1; 1, 3; 1, 5; 2, 4];
    parameter Integer columns[:] = {2};
    parameter Integer smoothness = 1;
    parameter Integer extrapolation = 1;
    parameter Real timeScale = 1;
    parameter Real startTime = 0;
    parameter Real shiftTime = startTime;
    parameter TableObject tableID = TableObject(
      if tableOnFile and fileName <> "NoName" then fileName else "NoName",
      if tableOnFile then tableName else "NoName", table, startTime/timeScale, columns,
      smoothness, extrapolation, shiftTime/timeScale, 1, true);
    Real y;
    Real here;
  equation
    here = time/timeScale;
    y = valueOf(tableID, 1, here, 0, 0);
  end Table;
end Tabled;
